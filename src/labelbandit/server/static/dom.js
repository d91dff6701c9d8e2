// Elements made of data. Texts become text nodes, always: nothing that anyone wrote is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);
export const put = (node, ...children) => { node.replaceChildren(); return fill(node, {}, children); };
export const byId = (id) => document.getElementById(id);

export function say(text, kind = "plain") {
  const place = byId("says");
  place.className = `says ${kind}`;
  place.textContent = text;
  clearTimeout(say.timer);
  if (text) say.timer = setTimeout(() => { place.textContent = ""; }, kind === "bad" ? 12000 : 5000);
}

export const count = (number, one, many = `${one}s`) => `${whole(number)} ${number === 1 ? one : many}`;
export const whole = (value) => Math.round(value).toLocaleString();
export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}\u00a0%`;

export function money(amount, currency) {
  if (!currency) return whole(amount);
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
}

export function when(micro) {
  const date = new Date(micro / 1000);
  const today = new Date().toDateString() === date.toDateString();
  return date.toLocaleString(undefined, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

export function field(label, control, hint) {
  return h("label", { class: "field" }, h("span", {}, label), control, hint && h("small", {}, hint));
}
