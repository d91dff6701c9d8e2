// A task as text, picture or list of fields. All of it is untrusted: text stays text, pictures come by https or as data.

import { h } from "./dom.js";

const asText = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value, null, 1) : String(value));
const isPicture = (value) => typeof value === "string" && /^(https:\/\/|data:image\/(png|jpeg|gif|webp);base64,)/i.test(value);

export function shown(payload, display = {}) {
  if (payload === null || typeof payload !== "object") return h("p", { class: "text" }, payload === null ? "This task has nothing to show." : asText(payload));
  const { text, image, fields } = display;
  const named = Boolean(text || image || fields);
  const list = fields ?? (named ? [] : Object.keys(payload));
  const only = !named && list.length === 1 && !isPicture(payload[list[0]]);
  return h("div", {},
    image && payload[image] !== undefined && picture(payload[image]),
    text && payload[text] !== undefined && h("p", { class: "text" }, asText(payload[text])),
    only && h("p", { class: "text" }, asText(payload[list[0]])),
    !only && list.length > 0 && h("dl", {}, list.filter((name) => name in payload).map((name) => [
      h("dt", {}, name), h("dd", {}, isPicture(payload[name]) ? picture(payload[name]) : asText(payload[name]))])));
}

function picture(url) {
  if (!isPicture(url)) return h("p", { class: "soft" }, `This picture has no address of the kind https://…: ${asText(url)}`);
  const image = h("img", { src: url, alt: "The picture to label", referrerpolicy: "no-referrer" });
  image.addEventListener("error", () => image.replaceWith(h("p", { class: "note bad" }, "The picture could not be loaded.")));
  return image;
}
