// Agreement between workers: in all, and between every two who labelled most.

import { h, percent, put, whole } from "./dom.js";
import { action, get } from "./api.js";
import { shade } from "./charts.js";

export function agreementCard(path) {
  const place = h("div", {}, h("p", { class: "soft" }, "Not computed yet."));
  const show = async () => put(place, view(await get(`${path}/agreement`)));
  show().catch(() => {});
  return h("section", { class: "card" }, h("div", { class: "row" }, h("h2", {}, "Agreement between workers"), action("Compute again", show)), place);
}

const said = ({ value, why, tasks }) => (value === null ? h("span", { class: "soft" }, `undefined: ${why}`) : [h("b", {}, value.toFixed(2)), h("small", {}, ` on ${whole(tasks)} tasks`)]);

function view(found) {
  return [h("p", {}, "Percent ", said(found.percent), " · Fleiss’ kappa ", said(found.fleiss), " · Krippendorff’s alpha ", said(found.alpha)), found.pairs.length > 0 && matrix(found.pairs)];
}

function matrix(pairs) {
  const names = [...new Set(pairs.flatMap((pair) => pair.workers))];
  const of = new Map(pairs.map((pair) => [pair.workers.join("\u0000"), pair]));
  const cell = (one, two) => {
    const pair = of.get([one, two].join("\u0000")) ?? of.get([two, one].join("\u0000"));
    if (!pair) return h("td", {});
    const { value, why, tasks } = pair.cohen;
    const title = `${one} and ${two}: ${value === null ? `undefined, ${why}` : `kappa ${value.toFixed(2)}, ${percent(pair.percent.value)} alike`}, ${tasks} tasks in common`;
    const node = h("td", { class: "number", title }, value === null ? "–" : value.toFixed(2));
    return value === null ? node : shade(node, 0.5 + value / 2);
  };
  return h("div", { class: "scroll" }, h("table", {}, h("caption", { class: "soft" }, "Cohen’s kappa between two workers, for those who labelled most"),
    h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => h("th", { scope: "col", class: "number" }, name.slice(0, 10))))),
    h("tbody", {}, names.map((one) => h("tr", {}, h("th", { scope: "row" }, one), names.map((two) => (one === two ? h("td", {}) : cell(one, two))))))));
}
