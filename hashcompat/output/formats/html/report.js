
(() => {
  "use strict";

  const PAGE = 100;
  const SEVERITY = { KILL: 0, RESTART: 1, UNKNOWN: 2, KEEP: 3 };
  const root = document.documentElement;
  root.classList.add("js");

  document.addEventListener("DOMContentLoaded", () => {
    theme(document.getElementById("theme"));
    unfold();
    const table = document.querySelector("table.rows");
    if (table) new Rows(table);
  });

  function theme(button) {
    const wanted = matchMedia("(prefers-color-scheme: dark)");
    const show = () => {
      const dark = (root.dataset.theme || (wanted.matches ? "dark" : "light")) === "dark";
      button.textContent = dark ? "Light theme" : "Dark theme";
      return dark;
    };
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      root.dataset.theme = show() ? "light" : "dark";
      show();
    });
    wanted.addEventListener("change", show);
  }

  /* Paper cannot be clicked: what is folded is printed whole. */
  function unfold() {
    let closed = [];
    addEventListener("beforeprint", () => {
      closed = Array.from(document.querySelectorAll("details:not([open])"));
      for (const one of closed) one.open = true;
    });
    addEventListener("afterprint", () => {
      for (const one of closed) one.open = false;
    });
  }

  function element(name, text, attributes) {
    const found = document.createElement(name);
    if (text) found.textContent = text;
    for (const [key, value] of Object.entries(attributes || {})) found.setAttribute(key, value);
    return found;
  }

  /* The table: few rows are in the document at a time, so that any number of them stays usable. */
  class Rows {
    constructor(table) {
      this.table = table;
      this.body = table.tBodies[0];
      this.heads = Array.from(table.tHead.rows[0].cells);
      this.names = this.heads.map((head) => (head.classList.contains("toggle") ? "" : head.textContent));
      this.explained = this.heads[0].classList.contains("toggle");
      this.all = Array.from(this.body.rows, (row, place) => ({ row, place, text: "", detail: null }));
      this.body.replaceChildren();
      this.column = -1;
      this.descending = false;
      this.start = 0;
      this.search = document.getElementById("search");
      this.verdict = document.getElementById("verdict-filter");
      this.matching = document.getElementById("matching");
      this.shown = document.getElementById("shown");
      this.previous = document.getElementById("previous");
      this.next = document.getElementById("next");
      this.listen();
      this.update();
      table.classList.add("ready", "cards");
      document.querySelector(".controls").hidden = false;
      this.prepare(0);
    }

    /* Makes the texts for the search a few at a time, before somebody types. */
    prepare(start) {
      const end = start + PAGE;
      for (const one of this.all.slice(start, end)) this.textOf(one);
      if (end < this.all.length) setTimeout(() => this.prepare(end));
    }

    listen() {
      this.heads.forEach((head, place) => {
        if (!head.classList.contains("toggle")) this.sortable(head, place);
      });
      this.search.addEventListener("input", () => this.update());
      if (this.verdict) this.verdict.addEventListener("change", () => this.update());
      this.previous.addEventListener("click", () => this.turn(-PAGE));
      this.next.addEventListener("click", () => this.turn(PAGE));
      this.body.addEventListener("click", (event) => {
        const button = event.target.closest("button[aria-expanded]");
        if (button) this.toggle(button);
      });
      this.body.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        const detail = event.target.closest("tr.detail");
        const button = event.target.closest("button[aria-expanded='true']");
        if (detail) this.close(detail);
        else if (button) this.toggle(button);
      });
      addEventListener("beforeprint", () => this.show(0, this.matches.length));
      addEventListener("afterprint", () => this.show(this.start, PAGE));
    }

    sortable(head, place) {
      const button = element("button", head.textContent, { type: "button" });
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        this.descending = this.column === place && !this.descending;
        this.column = place;
        for (const other of this.heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
        this.update();
      });
    }

    update() {
      const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const verdict = this.verdict ? this.verdict.value : "";
      this.matches = this.all.filter((one) =>
        (!verdict || one.row.dataset.verdict === verdict) && words.every((word) => this.textOf(one).includes(word)));
      if (this.column >= 0) this.sort();
      const total = this.all.length.toLocaleString("en");
      this.matching.textContent = `${this.matches.length.toLocaleString("en")} of ${total} rows match`;
      this.start = 0;
      this.show(0, PAGE);
    }

    textOf(one) {
      if (!one.text) {
        const cells = Array.from(one.row.cells).slice(this.explained ? 1 : 0);
        one.text = cells.map((cell) => cell.textContent).join("\n").toLowerCase();
      }
      return one.text;
    }

    sort() {
      const keys = new Map(this.matches.map((one) => [one, this.keyOf(one)]));
      const sign = this.descending ? -1 : 1;
      this.matches.sort((one, other) => {
        const [a, b] = [keys.get(one), keys.get(other)];
        if (a === b) return one.place - other.place;
        if (a === "" || b === "") return a === "" ? 1 : -1;
        if (typeof a !== typeof b) return typeof a === "number" ? -sign : sign;
        return a < b ? -sign : sign;
      });
    }

    keyOf(one) {
      const cell = one.row.cells[this.column];
      const text = cell.textContent;
      if (cell.querySelector(".heat")) {
        /* a cell without a number comes last either way */
        const number = parseInt(text, 10);
        return Number.isNaN(number) ? "" : number;
      }
      if (this.heads[this.column].textContent === "Verdict" && Object.hasOwn(SEVERITY, text)) return SEVERITY[text];
      return /^\d+$/.test(text) ? Number(text) : text.toLowerCase();
    }

    turn(by) {
      this.start += by;
      this.show(this.start, PAGE);
      this.table.scrollIntoView({ block: "start" });
      if (this.next.disabled) this.previous.focus();
      if (this.previous.disabled) this.next.focus();
    }

    show(start, most) {
      const some = this.matches.slice(start, start + most);
      const rows = [];
      for (const one of some) {
        if (this.explained) this.button(one);
        this.name(one.row);
        rows.push(one.row);
        if (one.detail) rows.push(one.detail);
      }
      this.body.replaceChildren(...rows);
      const pages = document.querySelector("nav.pages");
      pages.hidden = this.matches.length <= PAGE;
      const end = start + some.length;
      this.shown.textContent = `${start + 1} to ${end} of ${this.matches.length.toLocaleString("en")}`;
      this.previous.disabled = start <= 0;
      this.next.disabled = end >= this.matches.length;
    }

    /* Says in each cell which column it is of, for a phone, where a row is a card. */
    name(row) {
      if (row.cells[row.cells.length - 1].dataset.name) return;
      this.names.forEach((name, place) => {
        if (!name) return;
        row.cells[place].dataset.name = name;
        if (/ .{40}|.{40} /.test(row.cells[place].textContent)) row.cells[place].classList.add("sentence");
      });
    }

    nameOf(row) {
      const wanted = ["Namespace", "Pod", "Container"];
      const found = this.heads.map((head, place) => [head.textContent, place]);
      return wanted.map((word) => row.cells[found.find(([text]) => text === word)[1]].textContent).join("/");
    }

    button(one) {
      const cell = one.row.cells[0];
      if (cell.querySelector("button")) return;
      const link = cell.querySelector("a");
      one.row.dataset.why = link ? link.hash.slice(1) : "";
      const label = `Details of ${this.nameOf(one.row)}`;
      cell.replaceChildren(element("button", "", { type: "button", "aria-expanded": "false", "aria-label": label }));
      cell.firstChild.record = one;
    }

    toggle(button) {
      const one = button.record;
      if (one.detail) {
        one.detail.remove();
        one.detail = null;
        button.setAttribute("aria-expanded", "false");
        button.removeAttribute("aria-controls");
        return;
      }
      one.detail = this.detail(one);
      one.row.after(one.detail);
      button.setAttribute("aria-expanded", "true");
      button.setAttribute("aria-controls", one.detail.id);
    }

    close(detail) {
      const button = this.body.querySelector(`button[aria-controls="${detail.id}"]`);
      this.toggle(button);
      button.focus();
    }

    detail(one) {
      const row = element("tr", "", { class: "detail", id: `detail-${one.place + 1}` });
      const cell = element("td", "", { colspan: String(this.heads.length) });
      const inside = element("div");
      const why = document.getElementById(one.row.dataset.why);
      if (why) inside.append(...Array.from(why.children, (child) => child.cloneNode(true)));
      inside.append(this.facts(one.row));
      cell.append(inside);
      row.append(cell);
      return row;
    }

    facts(row) {
      const list = element("dl", "", { class: "facts" });
      const cells = this.heads.map((head, place) => [head.textContent, row.cells[place].textContent]);
      const hex = cells.filter(([name, text]) => ["From", "To", "Recorded"].includes(name) && text);
      const facts = [
        ...hex.map(([name, text]) => [`${name} hash`, `${text} (hex ${Number(text).toString(16).padStart(8, "0")})`]),
        ["UID of the pod", row.dataset.uid],
        ["File", row.dataset.file],
      ];
      for (const [name, text] of facts) {
        if (!text) continue;
        const pair = element("div");
        pair.append(element("dt", name), element("dd", text));
        list.append(pair);
      }
      return list;
    }
  }
})();
