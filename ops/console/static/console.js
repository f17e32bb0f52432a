// What a page does without asking the server again: shortcuts, sorting, colours. All of it works without this too.
"use strict";
(() => {
  const root = document.body.dataset.root;

  // --- Shortcuts: g and a letter, / and ?. They can be switched off, on the page Help.
  const OFF = "console-shortcuts-off";
  let waiting = false;
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (localStorage.getItem(OFF) || event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
    if (waiting) {
      waiting = false;
      const link = document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
    } else if (event.key === "g") {
      waiting = true;
      setTimeout(() => { waiting = false; }, 1500);
    } else if (event.key === "/") {
      const field = document.querySelector("[data-shortcut-focus]");
      if (field) { event.preventDefault(); field.focus(); field.select(); }
    } else if (event.key === "?" && document.querySelector("nav")) {
      location.href = `${root}/help`;
    }
  });
  for (const button of document.querySelectorAll("[data-shortcuts-switch]")) {
    const show = () => {
      const on = !localStorage.getItem(OFF);
      button.setAttribute("aria-pressed", String(on));
      button.textContent = `Letters as shortcuts: ${on ? "on" : "off"}`;
    };
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      if (localStorage.getItem(OFF)) localStorage.removeItem(OFF); else localStorage.setItem(OFF, "1");
      show();
    });
  }

  // --- Colours, without loading the page again.
  for (const form of document.querySelectorAll("[data-theme-form]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = event.submitter;
      document.cookie = `console-theme=${value}; Path=/; Max-Age=31536000; SameSite=Lax`;
      document.documentElement.dataset.theme = value;
      for (const button of form.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.value === value));
      document.dispatchEvent(new Event("console:theme"));
    });
  }

  // --- Another premises as soon as it is chosen.
  for (const choice of document.querySelectorAll(".premises select")) {
    choice.form.querySelector("button").hidden = true;
    choice.addEventListener("change", () => choice.form.submit());
  }

  // --- Sorting what is on the page: as the server does, by the same address.
  const compare = (a, b) => {
    const figures = [a, b].map((text) => /^(-?\d+)(?:\/(\d+))?$/.exec(text));  // also a fraction, n/d
    if (figures.every(Boolean)) {
      const [one, other] = figures.map(([, above, below]) => Number(above) / Number(below || 1));
      return one - other;
    }
    return a < b ? -1 : a > b ? 1 : 0;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("table[data-sorts] thead a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const heading = link.closest("th"), table = link.closest("table"), body = table.tBodies[0];
    if (table.closest(".listing").querySelector("[rel=next]")) return;  // the rest of the rows is elsewhere
    event.preventDefault();
    const column = [...heading.parentNode.children].indexOf(heading);
    const down = heading.getAttribute("aria-sort") === "ascending";
    const value = (row) => row.children[column].dataset.value;
    const rows = [...body.rows], known = rows.filter((row) => value(row) !== "");
    known.sort((a, b) => compare(value(a), value(b)) * (down ? -1 : 1));
    body.append(...known, ...rows.filter((row) => value(row) === ""));
    for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const at = new URL(link.href), name = table.closest(".listing").id;
    if (down) at.searchParams.set(`${name}-down`, "1"); else at.searchParams.delete(`${name}-down`);
    history.replaceState(null, "", at);
  });
})();
