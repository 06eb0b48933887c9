"use strict";
(() => {
  /* Keys, and the part of a page that refreshes itself. Texts stay what the server made of them: data. */
  const press = (selector) => { const found = document.querySelector(selector); if (found) found.click(); return Boolean(found); };

  function toggle(number) {
    const group = document.querySelector(`fieldset[data-key="${number}"]`);
    if (!group) return false;
    const wanted = group.querySelector("input[value=pass]").checked ? "fail" : "pass";
    group.querySelector(`input[value=${wanted}]`).checked = true;
    return true;
  }

  const keys = {
    n: () => press("a[rel=next]"), p: () => press("a[rel=prev]"), l: () => press("[data-key=l]"),
    s: () => press("[data-key=s]"),
    "/": () => { const field = document.querySelector("input[type=search]"); if (field) { field.focus(); field.select(); } return Boolean(field); },
    m: () => press("[data-key=m]") || press(".found a"),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("textarea, select, input:not([type=radio])")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const done = /^[1-5]$/.test(key) ? toggle(key) : Object.hasOwn(keys, key) && keys[key]();
    if (done) event.preventDefault();
  });

  /* Heads of tables whose rows are all here sort them: numbers as numbers, a second time the other way round. The
     address says which table is sorted by which column, so that it can be kept and sent. */
  const number = (text) => { const found = text.replace(/[\u202f,$%\s]/g, "").match(/^-?\d+(\.\d+)?/); return found ? Number(found[0]) : NaN; };
  function sort(head, up) {
    const at = head.cellIndex;
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows].map((row) => [(row.cells[at].dataset.value ?? row.cells[at].textContent).trim(), row]);
    const numeric = rows.every(([text]) => text === "\u2013" || text === "" || !Number.isNaN(number(text)));
    const order = ([a], [b]) => (numeric ? (number(a) || 0) - (number(b) || 0) : a.localeCompare(b)) * (up ? 1 : -1);
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...rows.sort(order).map(([, row]) => row));
  }
  const tables = [...document.querySelectorAll("table.sortable")];
  tables.forEach((table, place) => {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        sort(head, up);
        history.replaceState(null, "", `#sort=${place}.${head.cellIndex}.${up ? "up" : "down"}`);
      });
    }
  });
  const sorted = location.hash.match(/^#sort=(\d+)\.(\d+)\.(up|down)$/);
  const sortedHead = sorted && tables[sorted[1]]?.tHead.rows[0].cells[sorted[2]];
  if (sortedHead) sort(sortedHead, sorted[3] === "up");

  /* Fields that say nothing stay out of the address. */
  for (const form of document.querySelectorAll("form[method=get]")) {
    form.addEventListener("submit", () => {
      for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
      setTimeout(() => { for (const field of form.elements) field.disabled = false; }, 0);
    });
  }

  /* The page stays while the next one is made; who stops waiting for it ends the statement on the server too. */
  for (const button of document.querySelectorAll("[data-stop]")) {
    button.form.addEventListener("submit", () => { button.hidden = false; });
    button.addEventListener("click", () => { window.stop(); button.hidden = true; });
  }
  addEventListener("pageshow", () => { for (const button of document.querySelectorAll("[data-stop]")) button.hidden = true; });

  for (const field of document.querySelectorAll("[data-filter]")) {
    const rows = [...document.querySelectorAll(field.dataset.filter)];
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
  }

  async function refresh(part) {
    const seconds = Number(part.dataset.refresh);
    if (!seconds) return;
    await new Promise((done) => { setTimeout(done, 1000 * seconds); });
    if (document.hidden || part.contains(document.activeElement)) return refresh(part);
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (!answer.ok) return refresh(part);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
      if (!fresh) return refresh(part);
      part.replaceWith(document.adoptNode(fresh));
      return refresh(document.getElementById(part.id));
    } catch {
      return refresh(part);
    }
  }
  for (const part of document.querySelectorAll("[data-refresh]")) refresh(part);
})();
