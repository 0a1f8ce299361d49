// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// What the parts of the page share: the selection, the search, colours and keys.
class App {
  constructor(data) {
    this.data = data;
    this.plans = data.reports.map((report, index) => new Plan(report, data.pictures[index], index));
    this.pairs = data.pairs || this.plans[0].layers.map((layer) => [layer.id]);
    this.selection = this.plans.map(() => null); // a node of each plan
    this.found = null;
    this.hot = false;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.paint();
    this.title();
    this.graphs = this.plans.map((plan) =>
      new Graph(plan, this, this.plans.length > 1 ? "AB"[plan.index] + " · " + plan.name : ""));
    document.getElementById("graphs").append(...this.graphs.map((graph) => graph.box));
    this.legend();
    const strip = document.getElementById("strip");
    this.strips = this.plans.map((plan) => new Strip(plan, this, strip, this.axis()));
    this.list = new List(this);
    this.panel = new Panel(this);
    this.panel.show(null, null);
    new Keys(this);
  }

  title() {
    const name = this.plans.map((plan) => plan.report.title).join(" · ");
    document.getElementById("title").textContent = this.plans.length > 1 ? "Compare " + this.plans.map((plan) => plan.name).join(" and ") : name;
    const [plan] = this.plans;
    const { facts, run } = plan.report;
    const words = [facts.target && `${facts.target} ${facts.instruction_set}`, `${plan.layers.length} layers`,
      run && run.whole_microseconds && time(run.whole_microseconds), facts.device_memory_bytes !== undefined && bytes(facts.device_memory_bytes) + " memory",
      facts.kiln_version && "Kiln " + facts.kiln_version];
    document.getElementById("facts").textContent = this.plans.length > 1 ? "" : words.filter(Boolean).join(" · ");
    const heat = document.getElementById("heat");
    heat.hidden = !this.plans.some((one) => one.timed);
  }

  // Both plans of a comparison have one axis.
  axis() {
    return Math.max(...this.plans.map((plan) => plan.span));
  }

  paint() {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    this.palette = this.data.palette[this.dark ? "dark" : "light"];
    this.colors = Object.fromEntries(["page", "card", "ink", "soft", "line", "edge", "ring", "memory"].map((name) => [name, color("--" + name)]));
    this.look = `${this.dark}${this.hot}`;
  }

  legend() {
    const used = new Set(this.plans.flatMap((plan) => plan.layers.map((layer) => layer.node.family)));
    const slowest = Math.max(...this.plans.map((plan) => plan.slowest));
    const parts = this.hot
      ? [make("i", { class: "scale", style: `background:linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(heatOf).join()})` }),
        make("b", {}, make("small", {}, "0"), make("small", {}, time(slowest)))]
      : Object.keys(this.palette).filter((family) => used.has(family))
        .map((family) => make("span", { style: `--c:${this.palette[family]}` }, family));
    document.querySelector(".legend")?.remove();
    this.graphs[0].box.append(make("div", { class: "legend", "aria-hidden": "true" }, ...parts));
  }

  repaint() {
    this.paint();
    this.legend();
    this.draw();
    this.list.draw();
    const index = this.selection.findIndex(Boolean);
    this.panel.show(index < 0 ? null : this.plans[this.last ?? index], index < 0 ? null : this.selection[this.last ?? index]);
    document.getElementById("heat").setAttribute("aria-pressed", String(this.hot));
  }

  draw() {
    this.graphs.forEach((graph) => graph.draw());
    this.strips.forEach((strip) => strip.draw());
  }

  toneOf(plan, node) {
    if (this.hot && node.layer !== null && plan.timed) return plan.heat(plan.layers[node.layer]);
    return this.palette[node.family];
  }

  tipOf(plan, node) {
    if (node.layer === null) return [node.title, ...node.lines].join("\n");
    const layer = plan.layers[node.layer];
    return [node.title, layer.name === node.title ? "" : layer.name,
      [layer.kernel, time(layer.microseconds), plan.timed ? percent(plan.share(layer)) : ""].filter(Boolean).join(" · "),
      plan.memory[layer.id] ? bytes(plan.memory[layer.id]) + " in use" : ""].filter(Boolean).join("\n");
  }

  layerOf(plan) {
    const node = this.selection[plan.index];
    return node && node.layer !== null ? plan.layers[node.layer] : null;
  }

  twinOf(plan, layer) {
    const pair = this.pairs.find((one) => one[plan.index] === layer.id);
    const id = pair ? pair[1 - plan.index] : null;
    return id === null || id === undefined ? null : this.plans[1 - plan.index].layers[id];
  }

  isFound(plan, layer) {
    return this.found === null || this.found[plan.index].has(layer.id);
  }

  select(plan, node) {
    this.last = node ? plan.index : null;
    this.plans.forEach((own) => {
      let target = own === plan ? node : null;
      if (node && own !== plan && node.layer !== null) {
        target = (this.twinOf(plan, plan.layers[node.layer]) || {}).node || null;
      }
      this.selection[own.index] = target;
      this.graphs[own.index].show(target);
      this.strips[own.index].show(target && target.layer !== null ? own.layers[target.layer] : null);
    });
    this.list.show();
    this.panel.show(plan, node);
    document.getElementById("said").textContent = node ? [node.title, ...node.lines].join(", ") : "";
  }

  search(text) {
    const input = document.getElementById("search");
    if (input.value !== text) input.value = text;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = words.length === 0 ? null : this.plans.map((plan) =>
      new Set(plan.layers.filter((layer) => words.every((word) => layer.text.includes(word))).map((layer) => layer.id)));
    const count = this.found ? this.found.reduce((sum, one) => sum + one.size, 0) : 0;
    document.getElementById("found").textContent = this.found ? (count ? `${count} found` : "none") : "";
    this.list.fill();
    this.draw();
  }

  // The next hit behind the selection, in the order of the run.
  next(step) {
    const index = this.last ?? 0;
    const plan = this.plans[index];
    const ids = this.found ? [...this.found[index]] : [];
    if (!ids.length) return;
    const current = this.layerOf(plan);
    const place = current ? ids.findIndex((id) => (step > 0 ? id > current.id : id >= current.id)) : 0;
    const at = place < 0 ? (step > 0 ? 0 : ids.length - 1) : step > 0 ? place : (place - 1 + ids.length) % ids.length;
    this.select(plan, plan.layers[ids[at]].node);
  }
}

const app = new App(JSON.parse(document.getElementById("data").textContent));
