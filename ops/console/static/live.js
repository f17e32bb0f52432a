// Live updates: a part of a page that says which events concern it is asked for anew when one comes.
//
//   <section id="…" data-live="coup-settled.v1,table-opened.v1"   the types that concern it
//            data-live-of="main/PB1"                               of this premises, or table of it
//            data-live-from="/console/at/main/floor/part?table=PB1">   where it is to be had
//
// What is the same as before is left as it is, also inside a part: only elements with an id that have changed are
// exchanged, so nothing moves under a reader, and a focus stays where it is.
"use strict";
(() => {
  const parts = [...document.querySelectorAll("[data-live]")];
  const told = document.querySelector("[data-live-state]");
  if (!parts.length) return;
  const WAIT = 300;  // several events, one question
  const due = new Set();
  let timer = null;

  const say = (state, text) => {
    if (!told) return;
    told.dataset.state = state;
    told.textContent = text;
  };

  const exchange = (old, fresh) => {
    if (old.outerHTML === fresh.outerHTML) return;
    const inner = [...fresh.querySelectorAll("[data-piece]")];
    const same = inner.length && inner.length === old.querySelectorAll("[data-piece]").length
      && inner.every((piece) => old.querySelector(`#${CSS.escape(piece.id)}`));
    if (same) { for (const piece of inner) exchange(old.querySelector(`#${CSS.escape(piece.id)}`), piece); return; }
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const scrolled = [...old.querySelectorAll("[data-keeps-end]")].length;
    old.replaceWith(fresh);
    if (focused) document.getElementById(focused)?.focus();
    fresh.classList.add("changed");
    if (scrolled) toEnds(fresh);
  };

  const toEnds = (within) => {
    for (const one of within.querySelectorAll("[data-keeps-end]")) one.scrollLeft = one.scrollWidth;
  };
  toEnds(document);

  const ask = async () => {
    timer = null;
    const asked = [...due];
    due.clear();
    for (const id of asked) {
      const old = document.getElementById(id);
      const answer = await fetch(old.dataset.liveFrom, { headers: { "X-Fragment": "1" }, credentials: "same-origin" });
      if (answer.status === 401) { say("off", "Signed out: load the page to sign in"); source.close(); return; }
      if (!answer.ok) { due.add(id); continue; }
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(id);
      if (fresh) exchange(old, fresh);
    }
    document.dispatchEvent(new Event("console:updated"));
    if (due.size) timer = setTimeout(ask, 5 * WAIT);
  };

  const concerns = (part, event) => {
    const type = event.type.replace(/^baccarat-ledger\./, "");
    if (!part.dataset.live.split(",").includes(type)) return false;
    const of = (part.dataset.liveOf || "").split("/").filter(Boolean);
    const subject = (event.subject || "").split("/").slice(1);
    return of.every((name, at) => subject[at] === name);
  };

  const types = [...new Set(parts.flatMap((part) => part.dataset.live.split(",")))];
  const after = Math.min(...parts.map((part) => Number(part.dataset.livePosition || 0)));
  const source = new EventSource(`${document.body.dataset.root}/live?types=${types.join(",")}&after=${after}`);
  source.addEventListener("open", () => say("on", "Live"));
  source.addEventListener("error", () => say("off", source.readyState === EventSource.CLOSED ? "Not live: load the page again" : "Not live: connecting again"));
  source.addEventListener("message", (message) => {
    const event = JSON.parse(message.data);
    for (const part of parts) if (concerns(part, event)) due.add(part.id);
    if (due.size && !timer) timer = setTimeout(ask, WAIT);
  });
  addEventListener("pagehide", () => source.close());
})();
