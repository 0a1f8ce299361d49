// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The run of one plan from left to right: layers as long as they take, and under them the memory
// in use. Without times, all layers are equally long.
class Strip {
  constructor(plan, app, box, whole) {
    this.plan = plan;
    this.app = app;
    this.all = Math.max(whole, 1e-9); // of the axis, common to both plans of a comparison
    this.canvas = make("canvas", { tabindex: "-1", role: "img", "aria-label": plan.timed
      ? "Time and memory of the layers of " + plan.name : "Memory over the layers of " + plan.name });
    this.box = make("div", { class: "lane" }, this.canvas);
    box.append(this.box);
    this.starts = [];
    let at = 0;
    for (const layer of plan.layers) {
      this.starts.push(at);
      at += this.length(layer);
    }
    this.starts.push(at);
    this.window = [0, this.all];
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.listen();
  }

  length(layer) {
    return this.plan.timed ? this.plan.own(layer) : 1;
  }

  listen() {
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [from, to] = this.window;
      const at = this.at(event.offsetX);
      const factor = Math.exp((event.deltaY || event.deltaX) * 0.0015);
      const width = Math.min(this.all, Math.max((to - from) * factor, this.all / 5000));
      this.move(at - (at - from) * width / (to - from), width);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.held = { x: event.offsetX, from: this.window[0], moved: false };
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.held) {
        const moved = event.offsetX - this.held.x;
        this.held.moved ||= Math.abs(moved) > 4;
        const [from, to] = this.window;
        if (this.held.moved) this.move(this.held.from - moved * (to - from) / this.canvas.clientWidth, to - from);
        return;
      }
      const layer = this.layerAt(event.offsetX);
      if (layer) tip.show(this.app.tipOf(this.plan, layer.node), event.clientX, event.clientY);
      else tip.hide();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const layer = this.held && !this.held.moved ? this.layerAt(event.offsetX) : null;
      this.held = null;
      if (layer) this.app.select(this.plan, layer.node);
    });
    this.canvas.addEventListener("pointerleave", () => tip.hide());
    this.canvas.addEventListener("dblclick", () => this.move(0, this.all));
  }

  move(from, width) {
    from = Math.max(0, Math.min(from, this.all - width));
    this.window = [from, from + width];
    this.draw();
  }

  at(x) {
    const [from, to] = this.window;
    return from + x / this.canvas.clientWidth * (to - from);
  }

  x(at) {
    const [from, to] = this.window;
    return (at - from) / (to - from) * this.canvas.clientWidth;
  }

  layerAt(x) {
    const at = this.at(x);
    let [low, high] = [0, this.plan.layers.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return at < this.starts[this.starts.length - 1] ? this.plan.layers[low] : null;
  }

  show(layer) {
    if (layer) {
      const [from, to] = this.window;
      const middle = (this.starts[layer.id] + this.starts[layer.id + 1]) / 2;
      if (middle < from || middle > to) this.move(middle - (to - from) / 2, to - from);
    }
    this.draw();
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (fitCanvas(this.canvas)) this.paint();
    });
  }

  paint() {
    const context = this.canvas.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const bar = this.plan.timed ? Math.max(22, Math.min(54, height * 0.34)) : 16;
    this.axis(context, width);
    this.bars(context, width, 20, bar);
    this.memory(context, width, 20 + bar + 6, height);
  }

  axis(context, width) {
    const [from, to] = this.window;
    context.font = "10.5px " + FONT;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const rough = (to - from) / Math.max(width / 110, 1);
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-6)));
    let step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
    if (!this.plan.timed) step = Math.max(1, Math.round(step));
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = this.x(at);
      context.fillStyle = this.app.colors.line;
      context.fillRect(x, 0, 1, this.canvas.clientHeight);
      context.fillStyle = this.app.colors.soft;
      const word = this.plan.timed ? tick(at) : "layer " + at;
      if (x + 4 + context.measureText(word).width <= width) context.fillText(word, x + 4, 10);
    }
  }

  bars(context, width, top, height) {
    let painted = -1; // to here: what is shorter than a pixel is drawn once
    const lengths = this.starts;
    for (const layer of this.plan.layers) {
      const left = Math.max(this.x(lengths[layer.id]), -2);
      const right = Math.min(this.x(lengths[layer.id + 1]), width + 2);
      if (right < 0 || left > width || right <= painted || right - left <= 0) continue;
      painted = Math.max(painted, left + 0.5);
      context.globalAlpha = this.app.isFound(this.plan, layer) ? 0.85 : 0.18;
      context.fillStyle = this.app.toneOf(this.plan, layer.node);
      context.fillRect(left, top, Math.max(right - left - (right - left > 3 ? 1 : 0), 0.7), height);
      if (right - left > 34 && height > 18) this.words(context, layer, left, right, top, height);
    }
    context.globalAlpha = 1;
    const selected = this.app.layerOf(this.plan);
    if (selected) {
      const left = this.x(lengths[selected.id]);
      const right = this.x(lengths[selected.id + 1]);
      context.strokeStyle = this.app.colors.ring;
      context.lineWidth = 2;
      context.strokeRect(left - 1, top - 2, Math.max(right - left + 1, 3), height + 4);
    }
  }

  words(context, layer, left, right, top, height) {
    context.font = "600 11px " + FONT;
    const [title, last] = [layer.node.title, time(layer.microseconds) || layer.name];
    const room = right - Math.max(left, 0) - 8;
    if (context.measureText(title).width > room && right - left < 90) return;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left - 2, height);
    context.clip();
    context.globalAlpha = 1;
    context.fillStyle = this.app.dark && !this.app.hot ? "#0b1120" : "#fff";
    context.fillText(title, Math.max(left, 0) + 5, top + (height > 34 ? height / 2 - 7 : height / 2));
    if (height > 34) {
      context.font = "10.5px " + FONT;
      context.fillText(last, Math.max(left, 0) + 5, top + height / 2 + 8);
    }
    context.restore();
  }

  memory(context, width, top, height) {
    const { memory, peak } = this.plan;
    if (peak === 0 || height - top < 14) return;
    const most = Math.max(...this.app.plans.map((plan) => plan.peak));
    const words = `memory: at most ${bytes(peak)}`;
    const free = height - top > 50 ? 18 : 3; // the words stand above the line
    const y = (bytesInUse) => height - 3 - (height - top - free - 3) * bytesInUse / most;
    context.beginPath();
    context.moveTo(this.x(0), height);
    memory.forEach((inUse, step) => {
      context.lineTo(this.x(this.starts[step]), y(inUse));
      context.lineTo(this.x(this.starts[step + 1]), y(inUse));
    });
    context.lineTo(this.x(this.starts[memory.length]), height);
    context.closePath();
    context.fillStyle = this.app.colors.memory;
    context.globalAlpha = 0.22;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = this.app.colors.memory;
    context.lineWidth = 1.2;
    context.stroke();
    context.font = "10.5px " + FONT;
    context.fillStyle = this.app.colors.ink;
    context.globalAlpha = 0.8;
    context.fillStyle = this.app.colors.card;
    context.fillRect(4, top + 1, context.measureText(words).width + 8, 15);
    context.globalAlpha = 1;
    context.fillStyle = this.app.colors.soft;
    context.fillText(words, 8, top + 9);
  }
}
