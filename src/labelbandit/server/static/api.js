// Calls to this server. Every change carries a header that no other site can send.

import { byId, h, say } from "./dom.js";

export class Refused extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export async function call(method, path, body, headers = {}) {
  const form = body instanceof FormData;
  const options = { method, headers: { "x-labelbandit": "page", ...headers }, credentials: "same-origin" };
  if (body !== undefined) options.body = form ? body : JSON.stringify(body);
  if (body !== undefined && !form) options.headers["content-type"] = "application/json";
  const answer = await fetch(path.startsWith("/") ? path : `/api/v1/${path}`, options);
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, found.error ?? "unknown", found.detail ?? answer.statusText);
  return found;
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

// Run something for the requester; where a key is missing, ask for it first, and where it is refused, again.
export async function signedIn(run) {
  if (!(await get("session")).requester) await askForKey();
  try {
    const found = await run();
    const out = byId("sign-out");
    if (out) {
      out.hidden = false;
      out.onclick = async () => { await call("DELETE", "session"); location.assign("/"); };
    }
    return found;
  } catch (error) {
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
      await askForKey();
      return signedIn(run);
    }
    throw error;
  }
}

function askForKey() {
  return new Promise((done) => {
    const key = h("input", { type: "password", name: "key", autocomplete: "current-password", required: true, autofocus: true });
    const dialog = h("dialog", { class: "card", "aria-labelledby": "key-title" },
      h("form", { onsubmit: async (event) => {
        event.preventDefault();
        try {
          const { kind } = await post("session", { token: key.value.trim() });
          if (kind !== "requester") throw new Error("this is a worker's key: the requester's key is needed here");
          dialog.close();
          dialog.remove();
          done();
        } catch (error) { say(error.message, "bad"); key.select(); }
      } },
      h("h2", { id: "key-title" }, "Requester's key"),
      h("p", {}, "It was printed when the server first started; if it is lost, ", h("code", {}, "labelbandit serve --new-key"), " prints another. It is kept in a cookie that scripts cannot read."),
      h("label", { class: "field" }, h("span", {}, "Key"), key),
      h("button", { class: "strong" }, "Sign in")));
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
    dialog.append(byId("says"));
  });
}

// A button that does something, says so, and says what went wrong.
export function action(label, run, props = {}) {
  const button = h("button", { type: "button", ...props, onclick: async () => {
    button.disabled = true;
    try { await run(); } catch (error) { say(error.message, "bad"); } finally { button.disabled = false; }
  } }, label);
  return button;
}

