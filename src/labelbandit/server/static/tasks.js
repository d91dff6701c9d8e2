// The tasks in a table, and everything about one: votes, weights, and why each worker was asked.

import { h, percent, put, whole } from "./dom.js";
import { action, get } from "./api.js";
import { shown } from "./showing.js";

const PAGE = 25;

export function tasksCard(path, campaign) {
  const body = h("div", {}), detail = h("dialog", { class: "card wide" });
  const search = h("input", { type: "search", placeholder: "Search id, context, text", "aria-label": "Search tasks", oninput: () => { clearTimeout(load.timer); load.timer = setTimeout(() => load(0), 250); } });
  const order = h("select", { "aria-label": "Order", onchange: () => load(0) }, h("option", { value: "uncertain" }, "Least certain first"), h("option", { value: "joined" }, "As they joined"));
  async function load(start) {
    const found = await get(`${path}/tasks?${new URLSearchParams({ search: search.value, order: order.value, start, limit: PAGE })}`);
    put(body, table(found.tasks, open), h("div", { class: "row" }, h("small", {}, found.matching ? `${whole(start + 1)} to ${whole(start + found.tasks.length)} of ${whole(found.matching)}` : "No task matches."),
      h("div", { class: "row near" }, start > 0 && action("Before", () => load(Math.max(0, start - PAGE))), start + PAGE < found.matching && action("After", () => load(start + PAGE)))));
  }
  async function open(task) {
    put(detail, view(await get(`${path}/task?${new URLSearchParams({ task })}`), campaign.display), h("button", { onclick: () => detail.close() }, "Back"));
    detail.showModal();
  }
  load(0).catch(() => {});
  return h("section", { class: "card", id: "tasks" }, h("div", { class: "row" }, h("h2", {}, "Tasks"), h("div", { class: "row near" }, search, order, action("Refresh", () => load(0)))), body, detail);
}

function table(rows, open) {
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Task", "Shows", "Context", "Estimate", "Probability", "Votes"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, rows.map((row) => h("tr", { class: "open-row", onclick: () => open(row.task) },
      h("td", {}, h("button", { class: "quiet", onclick: (event) => { event.stopPropagation(); open(row.task); } }, row.task)), h("td", {}, row.preview.slice(0, 80)), h("td", {}, row.context),
      h("td", {}, row.answer ?? h("span", { class: "soft" }, row.labels ? "tied" : "no label"), row.contested && h("span", { class: "badge bad" }, "contested"), row.closed && h("span", { class: "badge closed" }, "settled")),
      h("td", { class: "number" }, row.labels ? percent(row.probability) : "–"),
      h("td", {}, Object.entries(row.votes).filter(([, count]) => count).map(([name, count]) => `${name} ${count}`).join(", ")))))));
}

function view(task, display) {
  const most = Math.max(...task.votes.map((vote) => vote.weight ?? 0), 1e-9);
  return [h("h2", { tabindex: "-1", autofocus: true }, task.task), shown(task.payload, display),
    h("p", { class: "soft" }, [task.context && `Context ${task.context}`, task.gold && `gold: ${task.gold}`, task.answer ? `estimate ${task.answer}` : "no estimate", `margin ${task.margin.toFixed(3)}`].filter(Boolean).join(" · ")),
    Object.entries(task.probabilities).map(([name, share]) => { const bar = h("span", { class: "bar" }); bar.style.width = `${Math.round(160 * share)}px`; return h("div", {}, bar, ` ${name} ${percent(share, 1)}`); }),
    task.votes.length === 0 ? h("p", {}, "Nobody was asked yet.") : h("table", {}, h("thead", {}, h("tr", {}, ["Worker", "Answer", "Weight", "Why"].map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", {}, task.votes.map((vote) => { const bar = h("span", { class: "bar" }); bar.style.width = `${Math.round(50 * (vote.weight ?? 0) / most)}px`; return h("tr", {}, h("td", {}, vote.worker), h("td", {}, vote.answer ?? vote.state), h("td", { class: "whole" }, vote.weight === null ? "–" : [bar, `\u00a0${percent(vote.weight, 1)}`]), h("td", {}, h("small", {}, vote.reasons.join(" ")))); })))];
}
