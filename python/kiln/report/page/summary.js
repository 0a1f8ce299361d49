// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The details where no layer is selected: the plan as a whole, or both.
class Summary {
  constructor(app) {
    this.app = app;
  }

  parts() {
    const { plans } = this.app;
    if (plans.length > 1) return [this.versus(), ...plans.map((plan) => this.problems(plan)), this.changes(), this.hint()].flat();
    const [plan] = plans;
    return [make("h2", {}, plan.report.title),
      this.problems(plan), this.facts(plan), this.families(plan), this.types(plan), this.slowest(plan), this.ends(plan),
      this.plugins(plan), this.hint()].flat();
  }

  facts(plan) {
    const { facts, run } = plan.report;
    const made = plan.layers.reduce((sum, layer) => sum + layer.layers.length, 0);
    return pairsOf([
      ["run", run && run.whole_microseconds ? `${time(run.whole_microseconds)} (median of ${run.iterations} runs)` : ""],
      ["layers", plan.timed ? `${plan.layers.length}, together ${time(plan.total)}` : plan.layers.length],
      ["made of", plan.report.kind === "plan" ? `${made} layers of the network` : ""],
      ["network", facts.network || ""],
      ["target", facts.target ? `${facts.target} · ${facts.instruction_set}` : ""],
      ["types", facts.strongly_typed === undefined ? "" : facts.strongly_typed ? "strongly typed" : "weakly typed"],
      ["weights", facts.weights !== undefined ? `${facts.weights} tensors, ${bytes(facts.weights_bytes)}` : ""],
      ["memory", facts.device_memory_bytes !== undefined ? bytes(facts.device_memory_bytes) : ""],
      ["file", facts.file_bytes ? bytes(facts.file_bytes) : ""],
      ["Kiln", facts.kiln_version || ""]]);
  }

  families(plan) {
    return this.sums(plan, plan.timed ? "Where the time goes" : "Kinds of layers", (layer) => layer.node.family,
      (family) => this.app.palette[family]);
  }

  types(plan) {
    return this.sums(plan, "By type of the data", (layer) => typeOf(plan, layer), () => "var(--accent)");
  }

  sums(plan, title, wordOf, toneOf) {
    const sums = new Map();
    for (const layer of plan.layers) {
      const sum = sums.get(wordOf(layer)) || { time: 0, count: 0 };
      sums.set(wordOf(layer), { time: sum.time + plan.own(layer), count: sum.count + 1 });
    }
    const rows = [...sums].sort(([, a], [, b]) => b.time - a.time || b.count - a.count);
    const most = plan.timed ? rows[0][1].time : rows[0] ? rows[0][1].count : 1;
    return [head(title), ...rows.map(([word, sum]) => share(
      `${word} (${sum.count})`, plan.timed ? `${time(sum.time)} · ${percent(sum.time / plan.total)}` : "",
      (plan.timed ? sum.time : sum.count) / (most || 1), toneOf(word), () => this.app.search(word)))];
  }

  slowest(plan) {
    if (!plan.timed) return [];
    const rows = [...plan.layers].sort((a, b) => plan.own(b) - plan.own(a)).slice(0, 8);
    return [head("Slowest layers"), ...rows.map((layer) => share(shortName(layer, 28),
      `${time(layer.microseconds)} · ${percent(plan.share(layer))}`, plan.own(layer) / plan.slowest,
      this.app.palette[layer.node.family], () => this.app.select(plan, layer.node)))];
  }

  ends(plan) {
    const rows = (ids) => ids.map((id) => plan.tensors[id]).map((tensor) =>
      make("tr", {}, make("td", { class: "mono" }, tensor.name), make("td", { class: "number" }, tensorWords(tensor))));
    return [head("Inputs"), make("table", {}, ...rows(plan.report.inputs)),
      head("Outputs"), make("table", {}, ...rows(plan.report.outputs))];
  }

  plugins(plan) {
    const { plugins } = plan.report;
    if (!plugins.length) return [];
    return [head("Plugins"), ...plugins.flatMap((plugin, number) => {
      const layer = plan.layers.find((one) => one.plugin === number);
      return [...pluginFacts(plugin), layer ? make("p", {}, make("button", { class: "link", type: "button",
        onclick: () => this.app.select(plan, layer.node) }, layer.name)) : null];
    })];
  }

  problems(plan) {
    const { problems } = plan.report;
    return problems.length ? [head("What keeps it from being opened here"),
      ...problems.map((problem) => make("p", { class: "bad" }, problem.text))] : [];
  }

  versus() {
    const { plans } = this.app;
    const row = (name, value) => make("tr", {}, make("th", {}, name), ...plans.map((plan) => make("td", {}, String(value(plan) ?? ""))));
    const [a, b] = plans;
    const ratio = a.timed && b.timed && a.total > 0 ? b.total / a.total : null;
    return [make("h2", {}, "A and B"),
      ratio === null ? null : make("p", { class: ratio > 1.01 ? "bad" : ratio < 0.99 ? "good" : "" },
        ratio > 1.01 ? `B takes ${ratio.toFixed(2)} times as long as A.` : ratio < 0.99 ? `B is ${(1 / ratio).toFixed(2)} times as fast as A.` : "Both take the same time."),
      make("table", {}, make("tr", {}, make("th", {}), make("th", {}, "A"), make("th", {}, "B")),
        row("plan", (plan) => plan.name), row("layers", (plan) => plan.layers.length),
        row("their time", (plan) => time(plan.timed ? plan.total : null)),
        row("run", (plan) => time(plan.report.run && plan.report.run.whole_microseconds)),
        row("target", (plan) => plan.report.facts.target || ""), row("needs", (plan) => plan.report.facts.instruction_set || ""),
        row("weights", (plan) => bytes(plan.report.facts.weights_bytes || 0)),
        row("memory", (plan) => bytes(plan.report.memory.arena_bytes || 0)),
        row("file", (plan) => bytes(plan.report.facts.file_bytes || 0)),
        row("Kiln", (plan) => plan.report.facts.kiln_version))];
  }

  changes() {
    const { plans, pairs } = this.app;
    if (!plans.every((plan) => plan.timed)) return [];
    const rows = pairs.map(([a, b]) => {
      const times = [a === null ? 0 : plans[0].own(plans[0].layers[a]), b === null ? 0 : plans[1].own(plans[1].layers[b])];
      return { a, b, change: times[1] - times[0] };
    }).sort((x, y) => Math.abs(y.change) - Math.abs(x.change)).slice(0, 12).filter((row) => row.change !== 0);
    const most = Math.max(...rows.map((row) => Math.abs(row.change)), 1e-9);
    return [head("Largest differences"), ...rows.map(({ a, b, change }) => {
      const plan = plans[a === null ? 1 : 0];
      const layer = plan.layers[a === null ? b : a];
      const where = a === null ? " (only B)" : b === null ? " (only A)" : "";
      return share(shortName(layer, 26) + where, (change > 0 ? "+" : "−") + time(Math.abs(change)), Math.abs(change) / most,
        change > 0 ? "var(--bad)" : "var(--good)", () => this.app.select(plan, layer.node));
    })];
  }

  hint() {
    return [make("p", { class: "soft", style: "margin-top:18px" }, "Select a layer to see what it was made of, its kernels and tensors. Press ? for the keys.")];
  }
}

// The type of the first operand, which is the data; without operands, of the first result.
function typeOf(plan, layer) {
  const id = [...layer.inputs, ...layer.outputs].find((number) => number >= 0);
  return id === undefined ? "none" : plan.tensors[id].type;
}

function share(name, value, part, tone, act) {
  return make("button", { class: "share", type: "button", onclick: act }, make("span", { class: "name" }, name),
    make("span", { class: "value" }, value),
    make("span", { class: "gauge" }, make("i", { style: `width:${Math.max(0, Math.min(1, part)) * 100}%;background:${tone}` })));
}
