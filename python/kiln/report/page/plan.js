// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// One plan: its report, its picture, and what follows from them.
class Plan {
  constructor(report, picture, index) {
    this.report = report;
    this.index = index;
    this.layers = report.layers;
    this.tensors = report.tensors;
    this.nodes = picture.nodes.map(([layer, tensor, title, lines, family, x, y, w, h], number) =>
      ({ number, layer, tensor, title, lines, family, x, y, w, h, above: [], below: [] }));
    this.edges = picture.edges.map(([start, end, tensor, points]) => ({ start, end, tensor, points }));
    this.width = picture.width;
    this.height = picture.height;
    this.nodes.forEach((node) => {
      if (node.layer !== null) this.layers[node.layer].node = node;
    });
    for (const edge of this.edges) {
      this.nodes[edge.start].below.push(edge);
      this.nodes[edge.end].above.push(edge);
    }
    this.parents = new Set(this.layers.filter((layer) => layer.microseconds).map((layer) => layer.parent));
    this.timed = this.layers.some((layer) => layer.microseconds !== null);
    this.total = this.layers.reduce((sum, layer) => sum + this.own(layer), 0);
    this.span = this.timed ? this.total : this.layers.length;
    this.slowest = Math.max(0, ...this.layers.map((layer) => this.own(layer)));
    this.memory = report.memory.in_use;
    this.peak = this.memory.reduce((most, one) => Math.max(most, one), 0);
    this.layers.forEach((layer) => {
      layer.text = [layer.name, layer.op, layer.kernel, layer.node.title, layer.node.family, typeOf(this, layer),
        ...layer.outputs.map((id) => this.tensors[id].type + " " + this.tensors[id].format),
        layer.plugin === null ? "" : report.plugins[layer.plugin].name].join("\n").toLowerCase();
    });
  }

  // A loop or a branch contains the times of its layers.
  own(layer) {
    return this.parents.has(layer.id) ? 0 : layer.microseconds || 0;
  }

  share(layer) {
    return this.total > 0 ? this.own(layer) / this.total : 0;
  }

  // From pale to red, by the square root of the share of the slowest.
  heat(layer) {
    return heatOf(this.slowest > 0 ? Math.sqrt(this.own(layer) / this.slowest) : 0);
  }

  get name() {
    return this.report.source || this.report.title;
  }
}

// A colour for a number from 0 to 1.
function heatOf(part) {
  return `hsl(${Math.round(215 - 210 * part)} ${Math.round(30 + 60 * part)}% 50%)`;
}
