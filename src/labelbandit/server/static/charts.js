// Small charts in SVG: lines, columns and a heat map that shows how sure each cell is.

import { h, s, whole, percent } from "./dom.js";

const WIDE = 560, HIGH = 210, LEFT = 46, RIGHT = 12, TOP = 12, BOTTOM = 26;

function frame(label, wide = WIDE) {
  return s("svg", { class: "chart", viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": label });
}

function ticks(low, high, count = 4) {
  const raw = (high - low) / count || 1;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= raw);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(at);
  return found;
}

const scale = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
const short = (value) => (Math.abs(value) >= 10000 ? Intl.NumberFormat(undefined, { notation: "compact" }).format(value) : String(Math.round(value * 100) / 100));

function axes(svg, x, y, xTicks, yTicks, wide = WIDE) {
  for (const at of yTicks) {
    svg.append(s("line", { class: "axis", x1: LEFT, x2: wide - RIGHT, y1: y(at.value), y2: y(at.value) }),
      s("text", { x: LEFT - 6, y: y(at.value) + 4, "text-anchor": "end" }, at.text));
  }
  for (const at of xTicks) svg.append(s("text", { x: x(at.value), y: HIGH - 6, "text-anchor": at.anchor ?? "middle" }, at.text));
}

const path = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function clock(micro, span) {
  const date = new Date(micro / 1000);
  if (span > 36 * 3600e6) return date.toLocaleDateString(undefined, { month: "short", day: "numeric" });
  return date.toLocaleTimeString(undefined, span < 300e6 ? { timeStyle: "medium" } : { timeStyle: "short" });
}

// What was spent over time, the budget, and where it goes at the present pace: a cone, as the pace is uncertain.
export function burnChart({ at, spent }, budget, forecast, format) {
  if (!at.length) return empty("Nothing was spent yet.");
  const start = at[0], now = at.at(-1);
  const end = forecast.ends_at ? Math.min(forecast.latest, now + 3 * (forecast.ends_at - now), now + 4 * Math.max(now - start, 60e6)) : now;
  const x = scale(start, Math.max(end, start + 1e6), LEFT, WIDE - RIGHT), y = scale(0, budget * 1.04, HIGH - BOTTOM, TOP);
  const svg = frame(`Spent ${format(spent.at(-1))} of ${format(budget)}`);
  const span = Math.max(end, start + 1e6) - start;
  axes(svg, x, y, [0, 0.5, 1].map((share) => ({ value: start + share * span, text: clock(start + share * span, span), anchor: ["start", "middle", "end"][2 * share] })),
    ticks(0, budget).map((value) => ({ value, text: short(value) })));
  svg.append(s("line", { class: "limit", x1: LEFT, x2: WIDE - RIGHT, y1: y(budget), y2: y(budget) }));
  if (forecast.ends_at) {
    const here = spent.at(-1), until = (finish) => [x(Math.min(finish, end)), y(here + (budget - here) * Math.min(1, (end - now) / (finish - now || 1)))];
    svg.append(s("path", { class: "cone", d: `${path([[x(now), y(here)], until(forecast.soonest), [x(end), forecast.soonest < end ? y(budget) : until(forecast.soonest)[1]], until(forecast.latest)])}Z` }),
      s("path", { class: "line dashed", d: path([[x(now), y(here)], until(forecast.ends_at)]) }));
  }
  svg.append(s("path", { class: "line", d: path(at.map((one, index) => [x(one), y(spent[index])])) }));
  return svg;
}

// How many labels came in each stretch of time.
export function paceChart({ at, labels }) {
  if (at.length < 2) return empty("Too few labels yet to show a pace.");
  const bins = 30, start = at[0], span = Math.max(at.at(-1) - start, 1e6), counts = new Array(bins).fill(0);
  for (let row = 1; row < at.length; row += 1) {  // points are thinned: spread what lies between two of them evenly
    const from = (at[row - 1] - start) / span * bins, to = (at[row] - start) / span * bins, gained = labels[row] - labels[row - 1];
    if (to - from < 1e-9) { counts[Math.min(bins - 1, Math.floor(to))] += gained; continue; }
    for (let bin = Math.floor(from); bin < Math.min(bins, Math.ceil(to)); bin += 1) {
      counts[bin] += gained * (Math.min(to, bin + 1) - Math.max(from, bin)) / (to - from);
    }
  }
  const per = 60e6 * bins / span, rates = counts.map((count) => count * per);
  const x = scale(0, bins, LEFT, WIDE - RIGHT), y = scale(0, Math.max(...rates) * 1.08, HIGH - BOTTOM, TOP);
  const svg = frame(`Labels a minute, at most ${short(Math.max(...rates))}`);
  axes(svg, x, y, [0, bins].map((bin) => ({ value: bin, text: clock(start + bin / bins * span, span), anchor: bin ? "end" : "start" })),
    ticks(0, Math.max(...rates)).map((value) => ({ value, text: short(value) })));
  rates.forEach((rate, bin) => svg.append(s("rect", { class: "column", x: x(bin) + 1, width: x(1) - x(0) - 2, y: y(rate), height: Math.max(0, HIGH - BOTTOM - y(rate)), rx: 2 },
    s("title", {}, `${short(rate)} labels a minute`))));
  return svg;
}

// Tasks by the probability of their likeliest class.
export function confidenceChart({ edges, counts, unlabelled }) {
  const all = [unlabelled, ...counts], most = Math.max(...all, 1);
  const x = scale(0, all.length + 0.4, LEFT, WIDE - RIGHT), y = scale(0, most * 1.08, HIGH - BOTTOM, TOP);
  const svg = frame(`${unlabelled} tasks without a label; the others by how probable their likeliest class is`);
  axes(svg, x, y, [{ value: 0.5, text: "no label" }, ...[0, 5, 10].map((at) => ({ value: at + 1.4, text: percent(edges[at]), anchor: ["start", "middle", "end"][at / 5] }))],
    ticks(0, most).filter(Number.isInteger).map((value) => ({ value, text: short(value) })));
  all.forEach((count, at) => svg.append(s("rect", { class: at ? "column" : "column pale", x: x(at + (at ? 0.4 : 0)) + 2, width: x(1) - x(0) - 4, y: y(count), height: Math.max(0, HIGH - BOTTOM - y(count)), rx: 3 },
    s("title", {}, at ? `${whole(count)} tasks between ${percent(edges[at - 1])} and ${percent(edges[at])}` : `${whole(count)} tasks without a label`))));
  return svg;
}

// Two curves of accuracy over labels.
export function raceChart(curves, most) {
  const wide = 2 * WIDE, svg = frame("Share of tasks that are right, by labels collected", wide);
  const x = scale(0, most, LEFT, wide - RIGHT), y = scale(0.5, 1, HIGH - BOTTOM, TOP);
  axes(svg, x, y, ticks(0, most, 5).map((value) => ({ value, text: short(value) })), [0.5, 0.6, 0.7, 0.8, 0.9, 1].map((value) => ({ value, text: percent(value) })), wide);
  curves.forEach(({ points, kind }) => points.length && svg.append(s("path", { class: `line ${kind}`, d: path(points.map(([at, value]) => [x(at), y(Math.max(0.5, value))])) })));
  return svg;
}

const colour = (share) => (share < 0.5 ? `color-mix(in srgb, var(--low) ${Math.round(200 * (0.5 - share))}%, var(--mid))` : `color-mix(in srgb, var(--high) ${Math.round(200 * (share - 0.5))}%, var(--mid))`);

// A square for each context and worker: its colour says how often they agree with the others, its size how sure that is.
export function heatMap({ workers, contexts, cells }) {
  if (!cells.length) return empty("Nobody has labelled anything yet.");
  const side = Math.max(18, Math.min(40, (2 * WIDE - 160) / workers.length)), left = 120, top = 20 + 5 * Math.max(...workers.map((name) => Math.min(12, name.length)));
  const wide = left + side * workers.length + 40;
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${wide} ${top + side * contexts.length + 6}`, role: "img", "aria-label": "How often each worker agrees with the others, by context" });
  svg.style.width = `${wide}px`;
  const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  contexts.forEach((name, at) => svg.append(s("text", { x: left - 8, y: top + side * (at + 0.5) + 4, "text-anchor": "end" }, cut(name || "all tasks", 17))));
  workers.forEach((name, at) => { const x = left + side * (at + 0.5); svg.append(s("text", { x, y: top - 8, transform: `rotate(-45 ${x} ${top - 8})` }, cut(name, 12))); });
  for (const cell of cells) {
    const x = left + side * (cell.worker + 0.5), y = top + side * (cell.context + 0.5);
    svg.append(s("rect", { x: x - side / 2 + 1, y: y - side / 2 + 1, width: side - 2, height: side - 2, rx: 4, fill: "none", stroke: "var(--line)" }));
    if (!cell.given) continue;
    const sure = 1 - (cell.high - cell.low), size = (side - 4) * (0.25 + 0.75 * sure), share = (cell.agrees + 1) / (cell.counted + 2);  // drawn towards half while there is little to go by
    const box = s("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 3 },
      s("title", {}, `${workers[cell.worker]}, ${contexts[cell.context] || "all tasks"}: ${cell.counted ? `agrees on ${cell.agrees} of ${cell.counted} (95 % limits ${percent(cell.low)} to ${percent(cell.high)})` : `${cell.given} labels, none yet to compare with`}`));
    box.style.fill = colour(share);
    svg.append(box);
  }
  return svg;
}

// For a cell with text on it: never so strong that the text could not be read.
export function shade(node, share) { node.style.background = colour(0.5 + 0.55 * (share - 0.5)); return node; }

const empty = (text) => h("p", { class: "soft" }, text);
