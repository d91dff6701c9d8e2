// A campaign from a file: look at it, say what the columns are, choose classes, budget and policy.

import { byId, field, h, put, say, whole } from "./dom.js";
import { action, call, get, signedIn } from "./api.js";
import { shown } from "./showing.js";

const POLICIES = [
  ["default", "Crosscheck (recommended)", "Checks workers against each other, learns who is good at what, and says how sure it is. Needs the fewest labels."],
  ["bbta", "Bandit", "Learns who is good at what from agreement with the weighted vote; the method of the paper. Draws workers throughout, so everyone is asked now and then."],
  ["iethresh", "IEThresh", "Asks several good workers about each task in turn. Use it when every task needs several labels."],
  ["crowdsense", "CrowdSense", "Like IEThresh, but stops early on easy tasks. Use it when most tasks are easy."],
  ["random", "Random", "Asks anyone about anything. Use it to compare, or when all workers are equally good."],
];
const root = byId("new");
let file = null, seen = null;

await signedIn(() => get("campaigns")).catch((error) => say(error.message, "bad"));
first();

function first() {
  const input = h("input", { type: "file", accept: ".csv,.tsv,.jsonl,.ndjson,.json", onchange: () => look(input.files[0]) });
  put(root, h("section", { class: "card" }, h("h2", {}, "1. The tasks"), field("A file with a row for each task", input, "CSV with a header, JSON, or JSONL with an object on each line; UTF-8.")), h("div", { id: "rest" }));
}

async function look(chosen) {
  if (!chosen) return;
  file = chosen;
  const form = new FormData();
  form.append("file", file);
  try { seen = await call("POST", "uploads/preview", form); } catch (error) { say(error.message, "bad"); put(byId("rest")); return; }
  columns();
}

function select(name, chosen, none, onchange) {
  return h("select", { name, onchange }, h("option", { value: "" }, none), seen.columns.map((one) => h("option", { value: one, selected: one === chosen }, one)));
}

function columns() {
  const plan = seen.plan, example = h("div", { class: "card" });
  const refresh = () => { const made = planned(); put(example, h("p", { class: "soft" }, "The first task, as a worker sees it:"), shown(seen.rows[0], { text: made.text, image: made.image, fields: made.fields.length ? made.fields : null })); };
  const kinds = [["none", "All tasks alike", "One context: workers are judged overall."], ["column", "By a column", "Such as topic or language."], ["groups", "Group similar tasks for me", "By the words or numbers they contain."]];
  const kind = plan.context ? "column" : "none";
  const column = field("Column", select("context", plan.context, "none")), groups = field("Groups", h("input", { type: "number", name: "groups", value: 5, min: 2, max: 100 }));
  const ask = () => { column.hidden = value("kind") !== "column"; groups.hidden = value("kind") !== "groups"; };  // only what matters
  put(byId("rest"),
    h("section", { class: "card" }, h("h2", {}, `2. ${whole(seen.count)} tasks`), table(), h("div", { class: "fields" },
      field("Text", select("text", plan.text, "none", refresh)), field("Picture (https address)", select("image", plan.image, "none", refresh)),
      field("Id", select("id", plan.id, "number them")), field("Known truth (gold)", select("gold", plan.gold, "none"), "Used to learn who is good; never shown to workers.")),
      field("Further fields", h("select", { name: "fields", multiple: true, size: Math.min(5, seen.columns.length), onchange: refresh }, seen.columns.map((one) => h("option", { value: one, selected: plan.fields.includes(one) }, one))), "Shown below the text."), example,
      h("fieldset", {}, h("legend", {}, "Kinds of task (contexts)"), kinds.map(([value, title, hint]) => h("label", { class: "choice" }, h("input", { type: "radio", name: "kind", value, checked: value === kind, onchange: ask }), h("span", {}, title, h("small", {}, hint)))),
        h("div", { class: "fields" }, column, groups))),
    terms());
  refresh();
  ask();
}

function table() {
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, seen.columns.map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, seen.rows.slice(0, 4).map((row) => h("tr", {}, seen.columns.map((one) => h("td", {}, (row[one] ?? "").slice(0, 60))))))));
}

function terms() {
  return h("section", { class: "card" }, h("h2", {}, "3. The terms"),
    h("div", { class: "fields" },
      field("Name", h("input", { name: "name", value: file.name.replace(/\.\w+$/, ""), required: true })),
      field("Classes, separated by commas", h("input", { name: "classes", value: seen.classes.join(", "), placeholder: "yes, no" }), "What a worker may answer."),
      field("Budget", h("input", { name: "budget", type: "number", min: 1, value: 3 * seen.count }), `In labels if they cost 1, else in the smallest unit of the currency. ${whole(3 * seen.count)} is three labels a task.`),
      field("Currency", h("input", { name: "currency", maxlength: 3, placeholder: "none: labels" }), "EUR means that budget and prices are in cents."),
      field("Settled at a probability of", h("input", { name: "settle", type: "number", min: 0.5, max: 1, step: 0.01, placeholder: "never" }), "A settled task is not asked about any more."),
      field("Stop at an expected accuracy of", h("input", { name: "target", type: "number", min: 0.5, max: 1, step: 0.01, placeholder: "never" }), "What is left of the budget is saved."),
      field("Most labels per task", h("input", { name: "max_labels", type: "number", min: 1, placeholder: "no limit" }))),
    field("Instructions for workers", h("textarea", { name: "instructions", rows: 4 })),
    h("fieldset", {}, h("legend", {}, "Who decides whom to ask"), POLICIES.map(([value, title, hint], at) => h("label", { class: "choice" }, h("input", { type: "radio", name: "policy", value, checked: at === 0 }), h("span", {}, title, h("small", {}, hint))))),
    action("Start the campaign", make, { class: "strong" }));
}

const value = (name) => root.querySelector(`[name="${name}"]:is(select, textarea, input:not([type=radio])), [name="${name}"]:checked`)?.value.trim() ?? "";
const number = (name) => (value(name) === "" ? null : Number(value(name)));

function planned() {
  const chosen = (name) => value(name) || null;
  const made = { id: chosen("id"), text: chosen("text"), image: chosen("image"), gold: chosen("gold"), fields: Array.from(root.querySelector("[name=fields]").selectedOptions, (one) => one.value) };
  if (value("kind") === "column") made.context = chosen("context");
  if (value("kind") === "groups") made.groups = number("groups");
  return made;
}

async function make() {
  const classes = value("classes").split(",").map((one) => one.trim()).filter(Boolean);
  const campaign = { name: value("name"), classes, budget: number("budget") ?? 0, policy: value("policy"), currency: value("currency").toUpperCase() || null,
    settle: number("settle"), target: number("target"), max_labels: number("max_labels"), hold: 2, display: { instructions: value("instructions") } };
  const form = new FormData();
  form.append("file", file);
  form.append("campaign", JSON.stringify(campaign));
  form.append("plan", JSON.stringify(planned()));
  say("Making the campaign …");
  const made = await call("POST", "uploads/campaign", form);
  location.assign(`/c/${made.id}#people`);
}
