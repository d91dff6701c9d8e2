// Webhooks: addresses that are told when something happened.

import { field, h, put } from "./dom.js";
import { action, call, get, post } from "./api.js";

const EVENTS = ["task.completed", "budget.reached", "campaign.closed"];

export function hooksCard(path) {
  const list = h("div", {}), url = h("input", { type: "url", placeholder: "https://example.org/hook" });
  const boxes = EVENTS.map((name) => h("input", { type: "checkbox", value: name, checked: true }));
  const load = async () => put(list, (await get(`${path}/webhooks`)).map((one) => h("div", { class: "row" },
    h("span", {}, h("span", { class: "mono" }, one.url), " ", h("small", {}, one.events.join(", ")), one.failing && h("span", { class: "badge bad" }, one.failing)),
    action("Remove", async () => { await call("DELETE", `${path}/webhooks/${one.id}`); await load(); }, { class: "quiet danger" }))));
  async function add() {
    const made = await post(`${path}/webhooks`, { url: url.value, events: boxes.filter((box) => box.checked).map((box) => box.value) });
    await load();
    list.append(h("p", { class: "note" }, "The secret that signs its messages, shown this once: ", h("span", { class: "mono" }, made.secret)));
  }
  load().catch(() => {});
  return h("section", { class: "card" }, h("details", {}, h("summary", {}, "Webhooks"), list, field("Address", url),
    h("div", { class: "row near" }, EVENTS.map((name, at) => h("label", { class: "choice" }, boxes[at], name))), action("Add", add)));
}
