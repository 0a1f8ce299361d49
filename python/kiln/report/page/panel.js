// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The details of what is selected.
class Panel {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById("panel");
  }

  show(plan, node) {
    const parts = !node ? new Summary(this.app).parts()
      : node.layer === null ? this.end(plan, node) : this.layer(plan, plan.layers[node.layer]);
    this.box.replaceChildren(...parts.flat().filter(Boolean));
    this.box.scrollTop = 0;
  }

  close() {
    return make("button", { class: "close", type: "button", title: "Back to the summary (Esc)",
      "aria-label": "Back to the summary", onclick: () => this.app.select(null, null) }, "×");
  }

  end(plan, node) {
    const tensor = plan.tensors[node.tensor];
    const ranges = (plan.report.profiles || {})[tensor.name] || [];
    return [this.close(), make("h2", {}, tensor.name), make("p", { class: "soft" }, tensor.role + " of the network"),
      this.facts(plan, tensor),
      ranges.length ? [head("Profiles"), ranges.map((range, number) => make("p", {},
        `${number}: ${range.values ? "values " : ""}` + ["min", "opt", "max"].map((bound) => extents(range[bound])).join(" … ")))].flat() : [],
      this.ways(plan, node)].flat();
  }

  facts(plan, tensor) {
    return pairsOf([["shape", extents(tensor.shape)], ["type", tensor.type], ["format", tensor.format],
      ["size", bytes(tensor.bytes)]]);
  }

  layer(plan, layer) {
    const twin = this.app.twinOf(plan, layer);
    return [
      this.close(),
      make("h2", {}, layer.node.title),
      make("p", { class: "mono soft" }, layer.name),
      this.chips(plan, layer),
      this.times(plan, layer),
      this.twin(plan, layer, twin),
      this.fused(layer),
      this.plugin(plan, layer),
      this.candidates(plan, layer),
      this.operands("Reads", plan, layer.inputs, (id) => plan.tensors[id].role !== "constant"),
      this.operands("Weights", plan, layer.inputs, (id) => plan.tensors[id].role === "constant"),
      this.operands("Writes", plan, layer.outputs, () => true),
      this.memory(plan, layer),
      this.ways(plan, layer.node),
      layer.metadata ? [head("Metadata"), make("p", { class: "mono" }, layer.metadata)] : [],
    ].flat();
  }

  chips(plan, layer) {
    const chips = [make("span", { class: "chip kind", style: `--c:${this.app.palette[layer.node.family]}` }, layer.node.family)];
    if (layer.kernel) chips.push(make("span", { class: "chip mono", title: "kernel" }, layer.kernel));
    if (layer.parent !== null) {
      const parent = plan.layers[layer.parent];
      chips.push(make("span", { class: "chip" }, "in ", this.link(plan, parent, `${parent.op} ${parent.name}`)));
    }
    return [make("div", { class: "chips" }, ...chips)];
  }

  times(plan, layer) {
    if (layer.microseconds === null) return [];
    const rank = plan.layers.filter((other) => plan.own(other) > plan.own(layer)).length + 1;
    return [make("p", {}, make("b", {}, time(layer.microseconds)),
      ` · ${percent(plan.share(layer))} of the layers' time · place ${rank} of ${plan.layers.length}`)];
  }

  twin(plan, layer, twin) {
    if (this.app.plans.length < 2) return [];
    const other = this.app.plans[1 - plan.index];
    const letter = (one) => "AB"[one.index];
    if (!twin) return [head("In the other plan"), make("p", { class: "soft" }, `No layer of ${letter(other)} belongs to this one.`)];
    const rows = [["kernel", layer.kernel, twin.kernel], ["time", time(layer.microseconds), time(twin.microseconds)],
      ["layers", layer.layers.length, twin.layers.length],
      ["workspace", bytes(layer.workspace_bytes), bytes(twin.workspace_bytes)],
      ...layer.outputs.slice(0, 2).map((id, i) => ["writes", tensorWords(plan.tensors[id]),
        twin.outputs[i] === undefined ? "" : tensorWords(other.tensors[twin.outputs[i]])])];
    const order = plan.index === 0 ? [1, 2] : [2, 1];
    return [head("Side by side"), make("table", {},
      make("tr", {}, make("th", {}), make("th", {}, "A"), make("th", {}, "B")),
      ...rows.map((row) => make("tr", {}, make("th", {}, row[0]), ...order.map((i) =>
        make("td", { class: row[1] === row[2] ? "soft" : "" }, String(row[i]))))))];
  }

  fused(layer) {
    const parts = [];
    if (layer.layers.length > 1) {
      parts.push(head(`Made of ${layer.layers.length} layers`), ...layer.layers.map((name) => make("p", { class: "mono" }, name)));
    }
    if (layer.operations.length > 1) {
      parts.push(head("Operations of the kernel"), make("p", {}, layer.operations.join(" → ")));
    }
    if (layer.rewrites.length) {
      parts.push(head("Rewritten by"), ...layer.rewrites.map((text) => make("p", { class: "mono" }, text)));
    }
    return parts;
  }

  plugin(plan, layer) {
    if (layer.plugin === null) return [];
    return [head("Plugin"), ...pluginFacts(plan.report.plugins[layer.plugin])];
  }

  candidates(plan, layer) {
    const works = layer.candidates.filter((one) => !one.refusal && one.microseconds !== undefined)
      .sort((a, b) => a.microseconds - b.microseconds);
    const rest = layer.candidates.filter((one) => !works.includes(one));
    if (!works.length && !rest.length && !layer.refused.length) {
      return layer.kernel && plan.report.kind === "plan" && layer.plugin === null ? [head("Kernels that were considered"),
        make("p", { class: "soft" }, "Not in this plan: build it with profiling verbosity DETAILED.")] : [];
    }
    const longest = Math.max(...works.map((one) => one.microseconds), 1e-9);
    const chosen = works.find((one) => one.chosen);
    return [head("Kernels that were considered"), ...works.map((one) => make("div", { class: "candidate" },
      make("div", { class: "head" }, make("span", { class: "name mono" }, one.kernel),
        make("span", { class: "soft" }, time(one.microseconds) + (one.measured ? "" : " (estimate)")),
        one.chosen ? make("b", { class: "good" }, "chosen")
          : make("span", { class: "soft" }, chosen ? `×${(one.microseconds / chosen.microseconds).toFixed(2)}` : "")),
      make("div", { class: "gauge" }, make("i", { style: `width:${100 * one.microseconds / longest}%;background:var(${one.chosen ? "--good" : "--edge"})` })))),
    ...rest.map((one) => make("div", { class: "candidate" },
      make("div", { class: "head" }, make("span", { class: "name mono" }, one.kernel),
        one.microseconds !== undefined ? make("span", { class: "soft" }, time(one.microseconds) + " (estimate)") : null,
        one.chosen ? make("b", { class: "good" }, "chosen") : one.microseconds === undefined ? make("span", { class: "bad" }, "refused") : make("span", { class: "soft" }, "not tried")),
      one.refusal ? make("div", { class: "soft" }, one.refusal) : null)),
    ...layer.refused.map((text) => make("div", { class: "candidate soft" }, text))];
  }

  operands(title, plan, ids, takes) {
    const own = ids.filter((id) => id >= 0 && takes(id));
    if (!own.length) return [];
    return [head(title), make("table", {}, ...own.map((id) => {
      const tensor = plan.tensors[id];
      const view = tensor.shares_with !== undefined ? ` · in the memory of ${plan.tensors[tensor.shares_with].name}` : "";
      return make("tr", {}, make("td", {}, make("div", { class: "mono" }, tensor.origin || tensor.name),
        make("div", { class: "soft" }, `${extents(tensor.shape)} ${tensor.type} · ${tensor.format}${view}`),
        tensor.statistics ? make("div", { class: "soft" }, statisticsWords(tensor.statistics)) : null),
      make("td", { class: "number" }, bytes(tensor.bytes)));
    }))];
  }

  memory(plan, layer) {
    const inUse = plan.memory[layer.id];
    if (inUse === undefined) return [];
    return [head("Memory"), pairsOf([["in use here", `${bytes(inUse)} of ${bytes(plan.report.memory.arena_bytes)}`],
      ["workspace", bytes(layer.workspace_bytes)]])];
  }

  ways(plan, node) {
    const list = (title, edges, end) => {
      const others = [...new Set(edges.map((edge) => edge[end]))].map((number) => plan.nodes[number]);
      return others.length ? [head(title), ...others.slice(0, 30).map((other) =>
        make("p", {}, make("button", { class: "link", type: "button", onclick: () => this.app.select(plan, other) },
          other.layer === null ? other.title : plan.layers[other.layer].name))),
      others.length > 30 ? make("p", { class: "soft" }, `and ${others.length - 30} more`) : null] : [];
    };
    return [...list("Comes from", node.above, "start"), ...list("Goes to", node.below, "end")];
  }

  link(plan, layer, text) {
    return make("button", { class: "link", type: "button", onclick: () => this.app.select(plan, layer.node) }, text || layer.name);
  }
}

function head(text) {
  return make("h3", {}, text);
}

function pairsOf(pairs) {
  return make("dl", {}, ...pairs.filter(([, value]) => value !== "" && value !== undefined && value !== null)
    .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function statisticsWords(one) {
  const short = (number) => (number === null ? "none" : String(Number(number.toPrecision(3))));
  const words = [`${short(one.min)} … ${short(one.max)}`, `mean ${short(one.mean)}`, `zeros ${percent(one.zeros / one.count)}`];
  return [...words, one.not_finite ? `${one.not_finite} infinite or NaN` : ""].filter(Boolean).join(" · ");
}

function pluginFacts(plugin) {
  const attributes = Object.entries(plugin.attributes || {}).map(([name, value]) =>
    `${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [make("p", {}, make("b", {}, (plugin.namespace ? plugin.namespace + "::" : "") + plugin.name), ` version ${plugin.version}`),
    pairsOf([["origin", plugin.origin], ["style", plugin.style], ["tactic", plugin.tactic || ""],
      ["compiled for", (plugin.targets || []).join(", ")], ["attributes", attributes.join(", ")]])];
}
