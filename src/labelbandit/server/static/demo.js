// The demo: two campaigns side by side, the same crowd in both.

import { byId, h, percent, put, whole } from "./dom.js";
import { get } from "./api.js";
import { raceChart } from "./charts.js";

const root = byId("demo");

async function draw() {
  const seen = await get("/demo/state");
  const { bandit, random } = seen.campaigns;
  const latest = (one) => (one.curve.length ? percent(one.curve.at(-1)[1], 1) : "–");
  const tile = (title, one, kind) => h("a", { class: "tile card-link", href: `/c/${one.id}` }, h("span", { class: "soft" }, h("i", { class: `key ${kind}` }), title), h("b", {}, latest(one)), h("small", {}, `right, with ${whole(one.labels)} labels`));
  put(root, h("p", {}, `${seen.workers} simulated workers judge ${seen.tasks} statements of three kinds. Each knows one kind and guesses at the others; nobody is told who knows what. The crowd gives ${whole(seen.budget)} labels in both campaigns.`),
    h("div", { class: "tiles" }, tile("The bandit decides whom to ask", bandit, ""), tile("Workers are asked at random", random, "second"),
      h("div", { class: "tile" }, h("span", { class: "soft" }, "Take part"), h("div", {}, h("a", { class: "button strong", href: seen.link, target: "_blank" }, "Label as a person")), h("small", {}, "in the bandit’s campaign"))),
    h("section", { class: "card spaced" }, h("h2", {}, "Share of statements judged right"), raceChart([{ points: random.curve, kind: "second" }, { points: bandit.curve, kind: "" }], seen.budget),
      h("div", { class: "legend" }, h("span", {}, h("i", { class: "key" }), "bandit"), h("span", {}, h("i", { class: "key second" }), "random"), h("span", {}, "labels collected →")), h("small", {}, "One crowd, one run: chance plays a part, most of all early on. Averages over many crowds: labelbandit demo.")));
  setTimeout(() => draw().catch(() => setTimeout(draw, 5000)), 1000);
}

await draw();
