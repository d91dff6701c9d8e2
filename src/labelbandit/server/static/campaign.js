// A campaign's dashboard: live, drawn anew whenever something happened.

import { byId, count, field, h, money, percent, put, say, when, whole } from "./dom.js";
import { action, call, get, post, signedIn } from "./api.js";
import { burnChart, confidenceChart, heatMap, paceChart } from "./charts.js";
import { agreementCard } from "./agreeing.js";
import { peopleCard } from "./people.js";
import { tasksCard } from "./tasks.js";
import { hooksCard } from "./hooks.js";

const id = location.pathname.split("/").pop(), path = `campaigns/${id}`, root = byId("campaign");
const places = Object.fromEntries(["head", "tiles", "warnings", "burn", "pace", "confidence", "heat", "open"].map((name) => [name, h("div", {})]));
let campaign;

try {
  campaign = await signedIn(() => get(path));
  document.title = `${campaign.name} · labelbandit`;
  layOut();
  listen();
} catch (error) { put(root, h("div", { class: "card" }, h("h1", {}, "No such campaign"), h("p", {}, error.message), h("a", { href: "/" }, "All campaigns"))); }

function card(kind, title, place, hint) {
  return h("section", { class: `card ${kind}` }, h("h2", {}, title), place, hint && h("small", {}, hint));
}

function layOut() {
  root.removeAttribute("aria-busy");
  put(root, places.head, places.warnings, h("div", { class: "grid" }, places.tiles,
    card("half", "Budget over time", places.burn, "Dashed red: the budget. The pale cone is where spending may go at the pace of the last ten minutes."),
    card("half", "Tasks by confidence", places.confidence, "By the probability of the likeliest class. Probabilities start near even and sharpen as labels come in."),
    card("half", "Labels a minute", places.pace), card("half", "Open assignments", places.open),
    card("", "Who is reliable at what", places.heat, "Colour: how often a worker agrees with the weighted vote of the others, from orange (never) over grey (half) to blue (always). Size: how sure that is; a small square rests on few labels. Point at one for figures."),
    agreementCard(path), tasksCard(path, campaign), peopleCard(path, campaign), hooksCard(path)));
}

function listen() {
  const source = new EventSource(`/api/v1/${path}/events`);
  source.addEventListener("overview", (event) => draw(JSON.parse(event.data)));
  source.onerror = () => say("The connection was lost: trying again.", "bad");
  source.onopen = () => say("");
}

function draw(seen) {
  const p = seen.progress, format = (amount) => money(amount, p.currency);
  const now = JSON.stringify([p.name, p.phase, p.policy]);
  if (now !== draw.head) put(places.head, head(p));  // a menu that someone has open must not be taken away
  draw.head = now;
  put(places.warnings, p.warnings.map((text) => h("p", { class: "note" }, text[0].toUpperCase() + text.slice(1), ".")));
  put(places.tiles, tiles(p, seen, format));
  put(places.burn, burnChart(seen.timeline, p.budget, seen.forecast, format));
  put(places.pace, paceChart(seen.timeline));
  put(places.confidence, confidenceChart(seen.confidence));
  put(places.heat, h("div", { class: "scroll" }, heatMap(seen.reliability)), leftOut(seen.reliability.left_out));
  put(places.open, openList(seen.open, p.open));
}

const leftOut = (out) => out && (out.workers > 0 || out.contexts > 0) && h("p", { class: "soft" }, `Not shown, with fewer or no labels: ${[out.workers && count(out.workers, "worker"), out.contexts && count(out.contexts, "context")].filter(Boolean).join(" and ")}.`);

function head(p) {
  const change = (verb) => async () => { await post(`${path}/${verb}`); say("Done."); };
  return h("div", { class: "row" },
    h("div", {}, h("h1", {}, p.name), h("span", { class: `badge ${p.phase}` }, p.phase), " ", h("span", { class: "soft" }, p.policy.replaceAll(",", ",\u200b"))),
    h("div", { class: "row near" },
      p.phase === "open" && action("Pause", change("pause")), p.phase === "paused" && action("Resume", change("resume"), { class: "strong" }),
      p.phase !== "closed" && h("button", { onclick: amend }, "Amend"),
      p.phase !== "closed" && action("Close", async () => { if (confirm("Close the campaign? Nobody is asked any more; this cannot be undone.")) await change("close")(); }, { class: "danger" }),
      exports()));
}

function exports() {
  const forms = [["format=csv", "Labels as CSV"], ["format=jsonl", "Labels as JSONL"], ["format=parquet", "Labels as Parquet"], ["format=labelstudio", "Label Studio JSON"], ["what=estimates&format=csv", "Estimates as CSV"], ["what=log&format=jsonl", "The log as JSONL"]];
  const choose = h("select", { "aria-label": "Export", onchange: () => { location.assign(`/api/v1/${path}/export?${choose.value}`); choose.value = ""; } },
    h("option", { value: "" }, "Export …"), forms.map(([value, title]) => h("option", { value }, title)));
  return choose;
}

function tiles(p, seen, format) {
  const used = h("i", {}), held = h("i", { class: "reserved" }), f = seen.forecast, alpha = seen.agreement.alpha;
  used.style.width = `${100 * p.spent / p.budget}%`;
  held.style.width = `${100 * p.reserved / p.budget}%`;
  const tile = (title, value, note, more) => h("div", { class: "tile" }, h("span", { class: "soft" }, title), h("b", {}, value), note && h("small", {}, note), more);
  return h("div", { class: "tiles" },
    tile("Spent", format(p.spent), `of ${format(p.budget)}; ${format(p.reserved)} reserved`, h("div", { class: "meter" }, used, held)),
    tile("Labels", whole(p.labels), p.tasks ? `${(p.labels / p.tasks).toFixed(1)} a task` : ""),
    tile("Tasks labelled", `${whole(p.labelled)} / ${whole(p.tasks)}`, `${whole(p.closed)} need no more`),
    tile("Pace", f.labels_per_hour === null ? "–" : `${whole(f.labels_per_hour)}/h`, "in the last ten minutes"),
    tile("Budget ends", f.ends_at === null || p.phase !== "open" ? "–" : when(f.ends_at), f.ends_at === null || p.phase !== "open" ? "no forecast now" : when(f.soonest) === when(f.latest) ? "at this pace" : `between ${when(f.soonest)} and ${when(f.latest)}`),
    tile("Agreement (alpha)", alpha.value === null ? "–" : alpha.value.toFixed(2), alpha.value === null ? alpha.why : `percent ${percent(seen.agreement.percent.value)}, ${whole(alpha.tasks)} tasks`));
}

function openList(open, all) {
  if (!open.length) return h("p", { class: "soft" }, "Nobody holds a task right now.");
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Worker", "Assignment", "Since", "Due"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, open.slice(0, 6).map((one) => h("tr", {}, h("td", {}, one.worker), h("td", {}, one.assignment), h("td", {}, when(one.since)), h("td", {}, when(one.due_at), one.overdue && " (overdue)"))))),
  all > 6 && h("p", { class: "soft" }, `and ${whole(all - 6)} more`));
}

async function amend() {
  campaign = await get(path);
  const input = (name, value, props = {}) => h("input", { name, value: value ?? "", ...props });
  const fields = { budget: campaign.progress.budget, settle: campaign.settle, target: campaign.target, max_labels: campaign.max_labels, lease: campaign.lease };
  const controls = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, input(name, value, { type: "number", step: ["settle", "target"].includes(name) ? 0.01 : 1 })]));
  const policy = input("policy", campaign.policy), text = h("textarea", { rows: 4 }, campaign.display.instructions);
  const dialog = h("dialog", { class: "card" }, h("h2", {}, "Amend"), h("div", { class: "fields" }, field("Budget", controls.budget), field("Settled at", controls.settle), field("Stop at an expected accuracy of", controls.target), field("Most labels per task", controls.max_labels), field("Lease, seconds", controls.lease)),
    field("Policy", policy, "A new policy is taught everything so far."), field("Instructions", text),
    h("div", { class: "row near" }, action("Save", async () => {
      const changes = { display: { ...campaign.display, instructions: text.value } };
      for (const [name, control] of Object.entries(controls)) {
        const value = control.value === "" ? null : Number(control.value);
        if (value !== fields[name]) changes[name] = value;
      }
      if (policy.value !== campaign.policy) changes.policy = policy.value;
      await call("PATCH", path, changes);
      dialog.remove();
      say("Amended.");
    }, { class: "strong" }), h("button", { onclick: () => dialog.remove() }, "Cancel")));
  document.body.append(dialog);
  dialog.showModal();
}
