// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The layers as a list with bars. Only the rows that can be seen exist.
const ROW = 34;

class List {
  constructor(app) {
    this.app = app;
    this.rows = document.getElementById("rows");
    this.tall = document.getElementById("tall");
    this.sort = document.getElementById("sort");
    const timed = app.plans.some((plan) => plan.timed);
    const orders = timed ? ["time", "order", "name"] : ["order", "name"];
    if (app.plans.length > 1 && timed) orders.unshift("difference");
    orders.push("memory");
    this.sort.append(...orders.map((order) => make("option", {}, order)));
    this.sort.onchange = () => this.fill();
    this.rows.addEventListener("scroll", () => this.draw());
    this.rows.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.rows);
    this.longest = Math.max(1e-9, ...app.plans.map((plan) => plan.slowest));
    this.fill();
  }

  fill() {
    const entries = this.app.pairs
      .map(([first, second]) => ({ of: [first, second].slice(0, this.app.plans.length) }))
      .filter((entry) => entry.of.some((id, index) =>
        id !== null && this.app.isFound(this.app.plans[index], this.app.plans[index].layers[id])));
    const layers = (entry) => entry.of.map((id, index) => (id === null ? null : this.app.plans[index].layers[id]));
    const times = (entry) => layers(entry).map((layer, index) => (layer ? this.app.plans[index].own(layer) : 0));
    const rank = {
      time: (entry) => -Math.max(...times(entry)),
      difference: (entry) => -Math.abs(times(entry)[0] - times(entry)[1]),
      memory: (entry) => -Math.max(...layers(entry).map((layer, index) => (layer ? this.app.plans[index].memory[layer.id] || 0 : 0))),
      order: () => 0,
    }[this.sort.value];
    entries.forEach((entry) => { entry.layers = layers(entry); });
    if (rank) {
      entries.forEach((entry) => { entry.rank = rank(entry); });
      entries.sort((a, b) => a.rank - b.rank);
    } else {
      entries.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
    }
    this.entries = entries;
    this.tall.style.height = entries.length * ROW + "px";
    const all = this.app.pairs.length;
    document.getElementById("count").textContent =
      entries.length === all ? `${all} layers` : `${entries.length} of ${all} layers`;
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.rows.scrollTop / ROW) - 4);
    const last = Math.min(this.entries.length, first + Math.ceil(this.rows.clientHeight / ROW) + 8);
    const fresh = [];
    for (let i = first; i < last; ++i) fresh.push(this.row(this.entries[i], i));
    this.tall.replaceChildren(...fresh);
    const active = this.tall.querySelector("[aria-selected=true]");
    if (active) this.rows.setAttribute("aria-activedescendant", active.id);
    else this.rows.removeAttribute("aria-activedescendant");
  }

  row(entry, place) {
    const { plans } = this.app;
    const index = entry.layers.findIndex((layer) => layer !== null);
    const layer = entry.layers[index];
    const plan = plans[index];
    const selected = entry.layers.some((own, i) => own !== null && this.app.layerOf(plans[i]) === own);
    const value = this.sort.value === "memory" ? bytes(plan.memory[layer.id] || 0)
      : plans.length > 1 ? this.change(entry) : time(layer.microseconds);
    const gauge = make("span", { class: "gauge" });
    entry.layers.forEach((own, i) => {
      const part = own && plans[i].timed ? plans[i].own(own) / this.longest : 0;
      if (plans[i].timed) {
        gauge.append(make("i", { style: `width:${part * 100}%;background:${this.app.toneOf(plan, layer.node)}` }));
      }
    });
    return make("div", {
      class: "row", id: "row" + place, role: "option", "aria-selected": String(selected), style: `top:${place * ROW}px`,
      title: layer.name, onclick: () => this.app.select(plan, layer.node),
    }, make("span", { class: "dot", style: `background:${this.app.toneOf(plan, layer.node)}` }),
    make("span", { class: "name" }, shortName(layer, (this.rows.clientWidth - 116) / 6.4)),
    make("span", { class: "value" }, value), gauge);
  }

  change(entry) {
    const [a, b] = entry.layers;
    if (!a) return "only B";
    if (!b) return "only A";
    if (!this.app.plans.every((plan) => plan.timed)) return "";
    const change = b.microseconds - a.microseconds;
    return (change > 0 ? "+" : "−") + time(Math.abs(change));
  }

  show() {
    const place = this.entries.findIndex((entry) =>
      entry.layers.some((own, i) => own !== null && this.app.layerOf(this.app.plans[i]) === own));
    if (place >= 0) {
      const top = place * ROW;
      if (top < this.rows.scrollTop) this.rows.scrollTop = top;
      else if (top + ROW > this.rows.scrollTop + this.rows.clientHeight) {
        this.rows.scrollTop = top + ROW - this.rows.clientHeight;
      }
    }
    this.draw();
  }

  key(event) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    event.stopPropagation();
    const place = this.entries.findIndex((entry) =>
      entry.layers.some((own, i) => own !== null && this.app.layerOf(this.app.plans[i]) === own));
    const next = this.entries[Math.max(0, Math.min(this.entries.length - 1, place + (event.key === "ArrowDown" ? 1 : -1)))];
    if (next) {
      const index = next.layers.findIndex((layer) => layer !== null);
      this.app.select(this.app.plans[index], next.layers[index].node);
    }
  }
}

function nameOf(entry) {
  return entry.layers.find((layer) => layer !== null).name;
}
