// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The graph of one plan on a canvas. Only what is visible is drawn, and in as much detail as can be
// read: so thousands of layers stay fluid.
const LEAST_TEXT = 0.42;
const LEAST_SMALL_TEXT = 0.6;
const LEAST_WORDS_OF_EDGES = 0.7;

class Graph {
  constructor(plan, app, label) {
    this.plan = plan;
    this.app = app;
    this.selected = null;
    this.view = { scale: 1, x: 0, y: 0 };
    this.canvas = make("canvas", { class: "main", tabindex: "0", role: "application",
      "aria-label": "Graph of " + plan.name + ": arrow keys follow the edges" });
    this.map = make("canvas", { class: "map", "aria-hidden": "true" });
    this.box = make("div", { class: "graph" }, this.canvas, this.map,
      make("div", { class: "tools" },
        make("button", { type: "button", title: "Closer (+)", "aria-label": "Closer", onclick: () => this.zoom(1.4) }, "+"),
        make("button", { type: "button", title: "Further (-)", "aria-label": "Further", onclick: () => this.zoom(1 / 1.4) }, "−"),
        make("button", { type: "button", title: "All (0)", "aria-label": "All", onclick: () => this.fit() }, "⤢")),
      label ? make("div", { class: "label" }, label) : null);
    this.map.style.display = "none"; // until a frame needs it
    this.prepare();
    this.mouse = new Hand(this);
    new ResizeObserver(() => (this.placed ? this.draw() : this.start())).observe(this.box);
  }

  prepare() {
    this.far = new Path2D(); // all edges, as straight lines
    const told = new Set();
    for (const edge of this.plan.edges) {
      const points = edge.points;
      edge.path = new Path2D();
      edge.path.moveTo(points[0], points[1]);
      this.far.moveTo(points[0], points[1]);
      edge.left = edge.right = points[0];
      for (let i = 2; i < points.length; i += 2) {
        const [x, y, fromX, fromY] = [points[i], points[i + 1], points[i - 2], points[i - 1]];
        const middle = (fromY + y) / 2;
        if (Math.abs(x - fromX) < 0.2) edge.path.lineTo(x, y);
        else edge.path.bezierCurveTo(fromX, middle, x, middle, x, y);
        this.far.lineTo(x, y);
        edge.left = Math.min(edge.left, x);
        edge.right = Math.max(edge.right, x);
      }
      edge.top = points[1];
      edge.bottom = points[points.length - 1];
      const key = edge.start + ":" + edge.tensor;
      edge.tells = !told.has(key);
      told.add(key);
      edge.words = tensorWords(this.plan.tensors[edge.tensor]);
    }
  }

  start() {
    if (this.canvas.clientWidth < 10) return;
    this.placed = true;
    this.fit();
    // A long graph would be a thread: begin at its top, where words can be read.
    if (this.view.scale < 0.5) {
      this.view.scale = Math.min(0.8, (this.canvas.clientWidth - 40) / this.plan.width);
      this.view.scale = Math.max(this.view.scale, LEAST_SMALL_TEXT + 0.05);
      this.center(this.first());
      this.view.y = 56;
    }
    this.draw();
  }

  // Where reading begins: an input, or the topmost node.
  first() {
    const { nodes } = this.plan;
    return nodes.find((node) => node.family === "input") || nodes.reduce((top, node) => (node.y < top.y ? node : top));
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const scale = Math.min((width - 60) / this.plan.width, (height - 60) / this.plan.height, 1.2);
    this.go({ scale, x: (width - this.plan.width * scale) / 2, y: (height - this.plan.height * scale) / 2 });
  }

  center(node) {
    this.view.x = this.canvas.clientWidth / 2 - node.x * this.view.scale;
    this.view.y = this.canvas.clientHeight / 2 - node.y * this.view.scale;
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.max(0.005, Math.min(4, this.view.scale * factor));
    const real = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * real, y: y - (y - this.view.y) * real };
    this.draw();
  }

  // Moves there in a moment, or at once where motion is not wanted.
  go(view) {
    const from = this.view;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || !this.drawn;
    const begin = performance.now();
    const step = (now) => {
      const part = still ? 1 : Math.min(1, Math.max(0, now - begin) / 180);
      const ease = part * (2 - part);
      const between = (a, b) => a + (b - a) * ease;
      this.view = { scale: between(from.scale, view.scale), x: between(from.x, view.x), y: between(from.y, view.y) };
      this.draw();
      if (part < 1 && this.moving === step) requestAnimationFrame(step);
    };
    this.moving = step;
    step(begin);
    if (!still) requestAnimationFrame(step);
  }

  show(node) {
    this.selected = node;
    if (!node) return this.draw();
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const scale = Math.max(this.view.scale, LEAST_SMALL_TEXT + 0.1);
    const [x, y] = [node.x * this.view.scale + this.view.x, node.y * this.view.scale + this.view.y];
    const inside = x > 120 && x < width - 120 && y > 60 && y < height - 60;
    if (inside && scale === this.view.scale) this.draw();
    else this.go({ scale, x: width / 2 - node.x * scale, y: height / 2 - node.y * scale });
  }

  nodeAt(x, y) {
    const [ownX, ownY] = [(x - this.view.x) / this.view.scale, (y - this.view.y) / this.view.scale];
    return this.plan.nodes.find((node) =>
      Math.abs(node.x - ownX) <= node.w / 2 && Math.abs(node.y - ownY) <= node.h / 2) || null;
  }

  // The node that an arrow key leads to: along an edge, or the nearest one in the row.
  neighbour(key) {
    const from = this.selected;
    if (!from) return this.first();
    if (key === "ArrowUp") return this.plan.nodes[(from.above[0] || {}).start] || null;
    if (key === "ArrowDown") return this.plan.nodes[(from.below[0] || {}).end] || null;
    const sign = key === "ArrowLeft" ? -1 : 1;
    const row = this.plan.nodes.filter((node) =>
      (node.x - from.x) * sign > 1 && Math.abs(node.y - from.y) < (node.h + from.h) / 2);
    return row.length ? row.reduce((a, b) => (Math.abs(a.x - from.x) < Math.abs(b.x - from.x) ? a : b)) : null;
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (this.placed && fitCanvas(this.canvas)) new Painter(this).paint();
      this.drawn = true;
    });
  }
}
