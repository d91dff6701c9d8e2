// The requester's campaigns.

import { byId, count, h, money, put, say, when, whole } from "./dom.js";
import { get, signedIn } from "./api.js";

const place = byId("campaigns");

function card({ id, name, created_at, progress: p }) {
  const used = h("i", {}), held = h("i", { class: "reserved" });
  used.style.width = `${100 * p.spent / p.budget}%`;
  held.style.width = `${100 * p.reserved / p.budget}%`;
  return h("li", {}, h("a", { class: "card", href: `/c/${id}` },
    h("div", { class: "row near" }, h("strong", {}, name), h("span", { class: `badge ${p.phase}` }, p.phase)),
    h("div", { class: "soft" }, `${whole(p.labelled)} of ${whole(p.tasks)} tasks labelled · ${count(p.labels, "label")} · ${count(p.workers, "worker")} · since ${when(created_at)}`),
    h("div", { class: "meter", title: `${money(p.spent, p.currency)} of ${money(p.budget, p.currency)} spent` }, used, held)));
}

const found = await signedIn(() => get("campaigns")).catch((error) => { say(error.message, "bad"); return []; });
place.removeAttribute("aria-busy");
put(place, found.length ? h("ul", { class: "list" }, found.toReversed().map(card))
  : h("div", { class: "card" }, h("h2", {}, "There is no campaign yet"), h("p", {}, "A campaign is a file of tasks, the people who label them, and a budget that is never exceeded."), h("a", { class: "button strong", href: "/new" }, "Start with a file")));
