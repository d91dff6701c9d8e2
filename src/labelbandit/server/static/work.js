// The worker's page: one task, one button for each class; answer, and the next one is there already.

import { byId, h, put, say, whole } from "./dom.js";
import { call, get, post, Refused } from "./api.js";
import { Queue } from "./queue.js";
import { shown } from "./showing.js";

const KEYS = "123456789abcdefghijklmnopqrstuvwxyz";
const root = byId("work");
let me, queue, desk = [], current = null, last = null, undoing = false, nothing = null, labels = 0, began = 0, times = [];

async function start() {
  if (location.hash.length > 1) {
    const token = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);  // so that the token is neither seen nor bookmarked nor sent on
    try { await post("session", { token }); } catch (error) {
      if (!(error instanceof Refused)) { history.replaceState(null, "", `#${token}`); return later(error); }
      return message("This link does not open anything", error.message);
    }
  }
  try {
    me = (await get("session")).worker ? await get("work") : null;
  } catch (error) {
    return error instanceof Refused && error.status < 500 ? message("Please open your own link again", error.message) : later(error);
  }
  if (me === null) return message("You need a link", "Open the link that you were given. It signs you in on this device.");
  document.title = `${me.campaign} · labelbandit`;
  labels = me.labels;
  queue = new Queue(me.seat, { taken, trouble });
  draw();
  await queue.pump();
  await ask();
}

function later(error) {
  message("No connection", `${error.message}. This page tries again by itself.`);
  setTimeout(start, 4000);
}

async function ask() {
  try {
    taken(null, await call("POST", "work/ask", undefined, { "x-labelbandit-seat": me.seat }));
  } catch (error) { trouble(error, null, false); wake(5); }
}

function taken(entry, found) {
  if (entry?.verb === "correct") { say("Changed."); return; }
  desk = found.work.filter((one) => !queue.waits(one.assignment));
  nothing = found.nothing;
  labels = found.labels + queue.entries().filter((one) => one.verb === "tell").length;
  if (!undoing && (current === null || !desk.some((one) => one.assignment === current.assignment))) next();
  else draw();
}

function trouble(error, entry, final) {
  if (final) {
    say(`That answer was not taken: ${error.message}`, "bad");
    if (last?.assignment === entry.body.assignment) last = null;
    ask();
  } else if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
    message("Please open your own link again", error.message);
  } else {
    const kept = queue.entries().length;
    say(kept ? `No connection: ${kept} ${kept === 1 ? "answer is" : "answers are"} kept on this device and sent later.` : "No connection: trying again.", "bad");
  }
}

function next() {
  current = desk[0] ?? null;
  undoing = false;
  began = performance.now();
  draw();
  byId("task")?.focus({ preventScroll: false });
  if (current === null && nothing !== null) wake(nothing.retry_after ?? 60);
  else if (current === null && !queue.busy) wake(2);
}

function wake(seconds) {
  clearTimeout(wake.timer);
  wake.timer = setTimeout(() => { if (current === null) ask(); }, 1000 * Math.max(1, seconds));
}

function answer(said) {
  if (performance.now() - began < 200) return;  // the second half of a double click is no answer to the next task
  if (undoing) {
    const changed = last;
    undoing = false;
    if (said !== changed.answer) { queue.add("correct", { assignment: changed.assignment, answer: said }); last = { ...changed, answer: said }; }
    return next();
  }
  if (current === null) return;
  const took = (performance.now() - began) / 1000;
  times = [...times, took].slice(-20);
  last = { ...current, answer: said };
  const body = { assignment: current.assignment, answer: said, lead_time: Math.round(1000 * took) / 1000 };
  step("tell", body);
  labels += 1;
  draw();
}

function skip() {
  if (current !== null && !undoing) step("decline", { assignment: current.assignment });
}

function step(verb, body) {
  desk = desk.filter((one) => one.assignment !== body.assignment);
  nothing = null;
  const sent = queue.add(verb, body);
  next();
  return sent;
}

function undo() {
  if (last === null) return;
  undoing = !undoing;
  began = performance.now();
  draw();
  byId("task")?.focus();
}

// The page is laid out once and only changed where it must be, so that focus, and what a screen reader is saying, stay.
let parts = null, drawn = "";

function layOut() {
  const undoButton = h("button", { type: "button", class: "quiet", onclick: undo }, h("span", {}, "Undo last"), " ", h("kbd", {}, "⌫"));
  const skipButton = h("button", { type: "button", class: "quiet", onclick: skip }, "Skip ", h("kbd", {}, "0"));
  const task = h("section", { class: "work-task", id: "task", tabindex: "-1", "aria-live": "polite", "aria-label": "Task" });
  const answers = h("div", { class: "answers", role: "group", "aria-label": "Answers" });
  const own = h("span", { class: "soft", id: "own" });
  put(root, h("header", { class: "work-top" }, h("strong", {}, me.campaign), own),
    me.display.instructions && h("details", { id: "instructions", open: labels === 0 }, h("summary", {}, "Instructions"), h("p", { class: "note text" }, me.display.instructions)),
    task, answers, h("footer", { class: "work-foot" }, undoButton, skipButton));
  root.removeAttribute("aria-busy");
  return { task, answers, own, undoButton, skipButton };
}

function draw() {
  parts ??= layOut();
  const task = undoing ? last : current;
  parts.own.textContent = progress();
  parts.undoButton.disabled = last === null;
  parts.undoButton.firstChild.textContent = undoing ? "Go back" : "Undo last";
  parts.skipButton.disabled = current === null || undoing;
  const now = JSON.stringify([undoing, task?.assignment, task === null && nothing?.reason]);
  if (now === drawn) return;
  drawn = now;
  put(parts.task, task === null ? waiting() : [undoing && h("p", { class: "note" }, `You answered “${last.answer}”. Choose again, or go back.`), shown(task.payload, me.display)]);
  put(parts.answers, task === null ? [] : me.classes.map(choice));
}

function progress() {
  const pace = times.length < 3 ? "" : ` · ${[...times].sort((a, b) => a - b)[Math.floor(times.length / 2)].toFixed(1)} s each`;
  return `${whole(labels)}${me.cap === null ? "" : ` of ${whole(me.cap)}`} done by you${pace}`;
}

function choice(name, at) {
  return h("button", { type: "button", class: undoing && last.answer === name ? "was" : "", "aria-keyshortcuts": KEYS[at], onclick: () => answer(name) },
    KEYS[at] && h("kbd", { "aria-hidden": "true" }, KEYS[at]), h("span", {}, name));
}

const SAID = {
  budget_spent: ["All done", "The budget is spent. Thank you!"],
  all_settled: ["All done", "Every task has labels enough. Thank you!"],
  target_reached: ["All done", "The answers are as sure as they were to be. Thank you!"],
  nothing_for_worker: ["Nothing for you right now", "This page looks again by itself; you can leave it open."],
  paused: ["A pause", "The campaign is paused. This page goes on by itself when it is resumed."],
  closed: ["The campaign is over", "Thank you for your labels!"],
};

function waiting() {
  const [title, text] = nothing === null ? ["One moment …", ""] : SAID[nothing.reason];
  return [h("h1", {}, title), h("p", { class: "soft" }, text)];
}

function message(title, text) {
  parts = null;
  drawn = "";
  put(root, h("section", { class: "work-task", role: "alert" }, h("h1", {}, title), h("p", { class: "soft" }, text)));
}

addEventListener("keydown", (event) => {
  if (!me || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const at = KEYS.indexOf(event.key.toLowerCase());
  if (at >= 0 && at < me.classes.length && event.key.length === 1) answer(me.classes[at]);
  else if (event.key === "0") skip();
  else if (event.key === "Backspace") undo();
  else if (event.key === "?") { const box = byId("instructions"); if (box) box.open = !box.open; }
  else return;
  event.preventDefault();
});

// While someone looks at a task, its lease is kept from running out.
setInterval(async () => {
  if (!current || document.hidden || queue?.waits(current.assignment)) return;
  if (current.due_at / 1000 - Date.now() > 90000) return;
  try {
    const renewed = await call("POST", "work/renew", { assignment: current.assignment }, { "x-labelbandit-seat": me.seat });
    if (current?.assignment === renewed.assignment) current.due_at = renewed.due_at;
  } catch { /* it may have been answered elsewhere: the next answer will say */ }
}, 30000);

document.addEventListener("visibilitychange", () => { if (!document.hidden && me) { queue.pump(); if (current === null) ask(); } });
start();
