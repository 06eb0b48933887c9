"use strict";
(() => {
  /* Texts of items are in the page already, as data; nothing here writes HTML, and nothing is fetched or sent. */
  const { round, seed, object, file, command } = document.body.dataset;
  const key = `demur-${object === "items" ? "audit" : object}:${round}:${seed}`;
  const cards = [...document.querySelectorAll("article.item")];
  const ids = cards.map((card) => card.dataset.item);
  const groups = [...document.querySelectorAll("fieldset[data-criterion]")];
  const criteria = groups.map((group) => group.dataset.criterion);
  const by = (id) => document.getElementById(id);
  const fresh = () => ({ criteria: Object.fromEntries(criteria.map((name) => [name, null])), note: "" });
  const state = { reader: "", at: 0, items: Object.fromEntries(ids.map((id) => [id, fresh()])) };

  /* PASS and FAIL are true and false in the file; any other answer is its own value. */
  const meant = { pass: true, fail: false };
  const valueOf = (input) => (Object.hasOwn(meant, input.value) ? meant[input.value] : input.value);
  const inputsOf = (group) => [...group.querySelectorAll("input")];
  const fieldOf = (group) => group.querySelector("textarea");
  const isMark = (group, value) => (fieldOf(group)
    ? Array.isArray(value) && value.every((line) => typeof line === "string")
    : inputsOf(group).some((input) => valueOf(input) === value));
  /* The lines of a field are marks only where they differ from those of the card. */
  const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
  const givenLines = (at) => linesOf(cards[at].dataset.lines || "");
  const lacks = ids.map((_, at) => (cards[at].dataset.lacks || "").split(" "));
  const isAsked = (group, at) => !lacks[at].includes(group.dataset.criterion)
    && (!group.dataset.askedIf || state.items[ids[at]].criteria[criteria[0]] === valueOf({ value: group.dataset.askedIf }));
  const isRead = (at) => groups.every(
    (group) => fieldOf(group) || !isAsked(group, at) || isMark(group, state.items[ids[at]].criteria[group.dataset.criterion]));
  const current = () => state.items[ids[state.at]];
  const say = (text) => { by("said").textContent = text; };

  /* Takes over what is known of the items of this sample; anything else is left out. */
  function adopt(reader, marks) {
    if (typeof reader === "string") state.reader = reader;
    for (const [id, marked] of marks) {
      if (!Object.hasOwn(state.items, id) || !marked || typeof marked !== "object") continue;
      const into = state.items[id];
      for (const group of groups) {
        const name = group.dataset.criterion;
        const value = (marked.criteria || {})[name];
        into.criteria[name] = isMark(group, value) ? value : null;
      }
      into.note = typeof marked.note === "string" ? marked.note : "";
    }
  }

  function restore() {
    try {
      const kept = JSON.parse(localStorage.getItem(key) || "null");
      if (!kept) return;
      adopt(kept.reader, Object.entries(kept.items || {}));
      if (Number.isInteger(kept.at) && kept.at >= 0 && kept.at < ids.length) state.at = kept.at;
    } catch {
      say("What was kept in this browser cannot be read. Go on from a downloaded file, or start anew.");
    }
  }

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      say("This browser keeps nothing for this page: download your marks before you close it.");
    }
  }

  function show() {
    cards.forEach((card, number) => { card.hidden = number !== state.at; });
    const done = ids.filter((_, at) => isRead(at)).length;
    by("done").textContent = `${done} of ${ids.length} read`;
    by("meter").style.width = ids.length ? `${(100 * done) / ids.length}%` : "0";
    by("place").textContent = ids.length ? `${state.at + 1} / ${ids.length}` : "0 / 0";
    by("reader").value = state.reader;
    if (!ids.length) return;
    for (const group of groups) {
      const value = current().criteria[group.dataset.criterion];
      group.hidden = !isAsked(group, state.at);
      for (const input of inputsOf(group)) input.checked = valueOf(input) === value;
      const field = fieldOf(group);
      if (field && field !== document.activeElement) field.value = (value || givenLines(state.at)).join("\n");
    }
    if (by("note").value !== current().note) by("note").value = current().note;
  }

  function changed() { keep(); show(); }

  function mark(name, value) {
    current().criteria[name] = value;
    for (const group of groups) if (!isAsked(group, state.at)) current().criteria[group.dataset.criterion] = null;
    changed();
  }

  function write(name, text) {
    const lines = linesOf(text);
    const isGiven = !lines.length || lines.join("\n") === givenLines(state.at).join("\n");
    mark(name, isGiven ? null : lines);
  }

  function toggle(name) { mark(name, current().criteria[name] === true ? false : true); }

  function markAll(value) {
    for (const name of criteria) current().criteria[name] = value;
    changed();
  }

  function go(to) {
    if (to < 0 || to >= ids.length || to === state.at) return;
    state.at = to;
    changed();
    window.scrollTo(0, 0);
  }

  function goUnread() {
    for (let step = 1; step <= ids.length; step += 1) {
      const at = (state.at + step) % ids.length;
      if (!isRead(at)) { go(at); return; }
    }
    say(`Everything is read. Download the file, then: ${command}`);
  }

  function taken() {
    return {
      object,
      round,
      seed: Number(seed),
      reader: state.reader.trim(),
      items: ids.map((id, at) => ({
        item_id: id, criteria: state.items[id].criteria, note: state.items[id].note,
        suspected: Object.hasOwn(cards[at].dataset, "suspected"),
      })),
    };
  }

  function take() {
    if (!state.reader.trim()) {
      say("Give your name first: marks are stored by reader.");
      by("reader").focus();
      return;
    }
    const found = taken();
    const open = ids.filter((_, at) => !isRead(at)).length;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(found, null, 1)], { type: "application/json" }));
    link.download = `${file}-${round}-${seed}-${found.reader.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(open ? `Downloaded; ${open} of ${ids.length} are not wholly read.` : `Downloaded. Then: ${command}`);
  }

  async function resume(file) {
    try {
      const found = JSON.parse(await file.text());
      if ((found.object || "items") !== object || found.round !== round || String(found.seed) !== seed || !Array.isArray(found.items)) {
        say(`That file holds marks of another sample (round ${found.round}, seed ${found.seed}).`);
        return;
      }
      adopt(found.reader, found.items.map((item) => [item.item_id, item]));
      changed();
      say("Went on from the file.");
    } catch {
      say("That file is no file of marks.");
    }
  }

  const keys = {
    n: () => go(state.at + 1), ArrowRight: () => go(state.at + 1),
    p: () => go(state.at - 1), ArrowLeft: () => go(state.at - 1),
    u: goUnread, ...(by("all") ? { a: () => markAll(true) } : {}), c: () => markAll(null), d: take,
    e: () => by("note").focus(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const field = event.target;
    if (field.matches("textarea, input[type=text], input[type=file]")) {
      if (event.key === "Escape") field.blur();
      return;
    }
    if (!ids.length) return;
    const into = groups.filter((group) => !group.hidden).map(fieldOf).find((one) => one && one.dataset.key === event.key);
    if (into) { into.focus(); event.preventDefault(); return; }
    /* Arrows within a pair of PASS and FAIL choose between them, as everywhere. */
    if (field.matches("input[type=radio]") && event.key.startsWith("Arrow")) return;
    const number = by("all") ? Number(event.key) : 0;
    /* With caps lock on a letter means the same. */
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const answer = groups.filter((group) => !group.hidden).flatMap(inputsOf).find((input) => input.dataset.key === key);
    if (answer) mark(answer.name, valueOf(answer));
    else if (number >= 1 && number <= criteria.length) toggle(criteria[number - 1]);
    else if (Object.hasOwn(keys, key)) keys[key]();
    else return;
    event.preventDefault();
  });

  const pressed = { previous: keys.p, next: keys.n, unread: goUnread, take, all: keys.a, clear: keys.c };
  for (const [id, act] of Object.entries(pressed)) by(id)?.addEventListener("click", act);
  for (const group of groups) {
    const field = fieldOf(group);
    if (field) {
      field.addEventListener("input", () => write(group.dataset.criterion, field.value));
      field.addEventListener("blur", show);
    } else group.addEventListener("change", (event) => mark(group.dataset.criterion, valueOf(event.target)));
  }
  by("reader").addEventListener("input", (event) => { state.reader = event.target.value; keep(); });
  by("note")?.addEventListener("input", (event) => { current().note = event.target.value; keep(); });
  by("resume").addEventListener("change", (event) => { if (event.target.files[0]) resume(event.target.files[0]); });

  restore();
  show();
})();
