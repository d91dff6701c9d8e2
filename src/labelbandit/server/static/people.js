// The workers: who they are, what they cost, and links for those who join.

import { field, h, money, put, say, whole } from "./dom.js";
import { action, get, post } from "./api.js";

export function peopleCard(path, campaign) {
  const table = h("div", {}), links = h("div", {});
  const names = h("textarea", { rows: 3, placeholder: "one name a line" }), price = h("input", { type: "number", min: 0, value: 1 }), expert = h("input", { type: "checkbox" });
  const load = async () => put(table, rows(await get(`${path}/workers`), path, campaign, load, links));
  async function invite() {
    const workers = names.value.split("\n").map((one) => one.trim()).filter(Boolean).map((id) => ({ id, price: Number(price.value), expert: expert.checked }));
    show(links, await post(`${path}/workers`, { workers }));
    names.value = "";
    await load();
  }
  load().catch(() => {});
  return h("section", { class: "card", id: "people" }, h("h2", {}, "Workers"), table,
    h("details", { open: location.hash === "#people" }, h("summary", {}, "Invite workers"),
      field("Names", names, "Any names; they appear in the exports."), h("div", { class: "fields" }, field("Price of a label", price, "In the unit of the budget."),
        h("label", { class: "choice" }, expert, h("span", {}, "Experts", h("small", {}, "An expert’s answer settles a task.")))),
      action("Make links", invite, { class: "strong" })), links);
}

function show(place, made) {
  put(place, h("div", { class: "note" }, h("p", {}, "Send each worker their own link. Links are shown this once; a lost one can be replaced."),
    made.map((one) => h("div", { class: "row" }, h("span", {}, h("b", {}, one.worker), " ", h("span", { class: "mono" }, one.link)), copier(one.link))),
    made.length > 1 && copier(made.map((one) => `${one.worker}\t${one.link}`).join("\n"), "Copy all")));
}

function copier(text, label = "Copy") {
  return action(label, async () => { await navigator.clipboard.writeText(text); say("Copied."); });
}

function rows(workers, path, campaign, load, links) {
  if (!workers.length) return h("p", { class: "soft" }, "Nobody yet. Invite someone.");
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Worker", "Price", "Labels", "Open", ""].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, workers.map((one) => h("tr", {}, h("td", {}, one.worker, one.expert && h("span", { class: "badge" }, "expert"), one.barred && h("span", { class: "badge bad" }, "barred")),
      h("td", {}, money(one.price, campaign.progress.currency)), h("td", {}, whole(one.labels), one.cap !== null && ` of ${whole(one.cap)}`), h("td", {}, whole(one.open)),
      h("td", { class: "number" }, action("New link", async () => { show(links, [await post(`${path}/workers/link`, { worker: one.worker })]); }, { class: "quiet" }),
        !one.barred && action("Bar", async () => { if (confirm(`Ask ${one.worker} no more? Their labels stay.`)) { await post(`${path}/workers/bar`, { worker: one.worker }); await load(); } }, { class: "quiet danger" })))))));
}

