// Answers on their way: kept in the browser until the server has them, each with a key of its own, so that a lost
// connection, a reload or a second try neither loses nor doubles one.

import { call, Refused } from "./api.js";

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Queue {
  // `taken(desk)` is called with what the server says is next, `trouble(error, entry)` when it refuses or cannot be reached.
  constructor(seat, { taken, trouble }) {
    this.name = `labelbandit:${seat}`;
    this.seat = seat;
    this.taken = taken;
    this.trouble = trouble;
    this.busy = false;
    this.pause = 1000;
    addEventListener("online", () => this.pump());
  }

  entries() {
    try { return JSON.parse(localStorage.getItem(this.name)) ?? []; } catch { return []; }
  }

  keep(entries) { localStorage.setItem(this.name, JSON.stringify(entries)); }

  waits(assignment) { return this.entries().some((one) => one.body.assignment === assignment && one.verb !== "correct"); }

  add(verb, body) {
    this.keep([...this.entries(), { verb, body, key: newKey() }]);
    return this.pump();
  }

  async pump() {
    if (this.busy) return;
    this.busy = true;
    clearTimeout(this.timer);
    try {
      for (let entry = this.entries()[0]; entry; entry = this.entries()[0]) {
        if (!(await this.send(entry))) break;
      }
    } finally { this.busy = false; }
  }

  async send(entry) {
    try {
      const headers = { "x-labelbandit-seat": this.seat, "idempotency-key": entry.key };
      const desk = await call("POST", `work/${entry.verb}`, entry.body, headers);
      this.drop(entry);
      this.pause = 1000;
      this.taken(entry, desk);
      return true;
    } catch (error) {
      const final = error instanceof Refused && error.status < 500 && ![401, 403, 429].includes(error.status);
      if (final) this.drop(entry);
      this.trouble(error, entry, final);
      if (!final && !(error instanceof Refused && error.status < 429)) {
        this.timer = setTimeout(() => this.pump(), this.pause);
        this.pause = Math.min(2 * this.pause, 5000);
      }
      return final;
    }
  }

  drop(entry) { this.keep(this.entries().filter((one) => one.key !== entry.key)); }
}
