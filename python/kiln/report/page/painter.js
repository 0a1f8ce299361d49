// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// One frame of a graph.
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

class Painter {
  constructor(graph) {
    this.graph = graph;
    this.plan = graph.plan;
    this.app = graph.app;
    this.context = graph.canvas.getContext("2d", { alpha: false });
    this.ratio = window.devicePixelRatio || 1;
    this.colors = this.app.colors;
    const { scale, x, y } = graph.view;
    this.scale = scale;
    this.left = -x / scale;
    this.top = -y / scale;
    this.right = this.left + graph.canvas.clientWidth / scale;
    this.bottom = this.top + graph.canvas.clientHeight / scale;
  }

  paint() {
    const context = this.context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colors.page;
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    const { scale, x, y } = this.graph.view;
    context.setTransform(this.ratio * scale, 0, 0, this.ratio * scale, this.ratio * x, this.ratio * y);
    this.edges();
    this.nodes();
    this.overview();
  }

  edges() {
    const context = this.context;
    context.strokeStyle = this.colors.edge;
    context.lineJoin = "round";
    if (this.scale < 0.25) {
      context.lineWidth = Math.min(1.2 / this.scale, 14);
      context.stroke(this.graph.far);
    } else {
      context.lineWidth = 1.3;
      for (const edge of this.plan.edges) {
        if (this.sees(edge)) {
          context.stroke(edge.path);
          this.arrow(edge, this.colors.edge);
        }
      }
    }
    const selected = this.graph.selected;
    if (selected) {
      context.strokeStyle = this.colors.ring;
      context.lineWidth = Math.max(2, 1.5 / this.scale);
      for (const edge of [...selected.above, ...selected.below]) {
        context.stroke(edge.path);
        this.arrow(edge, this.colors.ring);
      }
    }
    if (this.scale >= LEAST_WORDS_OF_EDGES) this.words();
  }

  sees(edge) {
    return edge.right >= this.left && edge.left <= this.right && edge.bottom >= this.top && edge.top <= this.bottom;
  }

  arrow(edge, style) {
    const points = edge.points;
    const [x, y] = [points[points.length - 2], points[points.length - 1]];
    if (y < this.top || y > this.bottom + 10) return;
    this.context.fillStyle = style;
    this.context.beginPath();
    this.context.moveTo(x, y);
    this.context.lineTo(x - 4, y - 7);
    this.context.lineTo(x + 4, y - 7);
    this.context.fill();
  }

  words() {
    const context = this.context;
    context.font = "10px " + FONT;
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const edge of this.plan.edges) {
      const [x, y] = [edge.points[0], edge.points[1] + 12];
      if (!edge.tells || y < this.top - 10 || y > this.bottom + 10 || x > this.right || x < this.left - 200) continue;
      context.fillStyle = this.colors.page;
      context.globalAlpha = 0.85;
      context.fillRect(x + 4, y - 6, context.measureText(edge.words).width + 4, 12);
      context.globalAlpha = 1;
      context.fillStyle = this.colors.soft;
      context.fillText(edge.words, x + 6, y);
    }
  }

  nodes() {
    const context = this.context;
    const searching = this.app.found !== null;
    for (const node of this.plan.nodes) {
      if (node.x + node.w / 2 < this.left || node.x - node.w / 2 > this.right ||
          node.y + node.h / 2 < this.top || node.y - node.h / 2 > this.bottom) continue;
      const hit = !searching || (node.layer !== null && this.app.found[this.plan.index].has(node.layer));
      context.globalAlpha = hit ? 1 : 0.22;
      this.node(node);
    }
    context.globalAlpha = 1;
  }

  node(node) {
    const context = this.context;
    const [x, y] = [node.x - node.w / 2, node.y - node.h / 2];
    const tone = this.app.toneOf(this.plan, node);
    if (this.scale < 0.2) {
      context.fillStyle = tone;
      context.fillRect(x, y, node.w, node.h);
    } else {
      context.beginPath();
      context.roundRect(x, y, node.w, node.h, node.layer === null ? node.h / 2 : 9);
      context.fillStyle = this.colors.card;
      context.fill();
      const alpha = context.globalAlpha;
      context.globalAlpha = alpha * (this.app.hot ? 0.32 : 0.13);
      context.fillStyle = tone;
      context.fill();
      context.globalAlpha = alpha;
      context.lineWidth = 1.4;
      context.strokeStyle = tone;
      context.stroke();
    }
    if (node === this.graph.selected) {
      context.strokeStyle = this.colors.ring;
      context.lineWidth = Math.max(3, 2.5 / this.scale);
      context.strokeRect(x - 3, y - 3, node.w + 6, node.h + 6);
    }
    if (this.scale >= LEAST_TEXT) this.texts(node);
  }

  texts(node) {
    const context = this.context;
    const count = this.scale >= LEAST_SMALL_TEXT ? 1 + node.lines.length : 1;
    let y = node.y - (count - 1) * 7.6;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = this.colors.ink;
    context.font = "600 12.5px " + FONT;
    context.fillText(node.title, node.x, y, node.w - 14);
    context.font = "10.5px " + FONT;
    context.fillStyle = this.colors.soft;
    for (let i = 0; i < count - 1; ++i) {
      y += 15.2;
      context.fillText(node.lines[i], node.x, y, node.w - 14);
    }
  }

  // The whole graph in a corner, with a frame around what the canvas shows.
  overview() {
    const canvas = this.graph.map;
    const whole = this.plan.height * this.scale < this.graph.canvas.clientHeight * 1.1 &&
      this.plan.width * this.scale < this.graph.canvas.clientWidth * 1.1;
    canvas.style.display = whole ? "none" : "block";
    canvas.style.width = this.graph.canvas.clientWidth < 520 ? "54px" : "";
    if (whole || !fitCanvas(canvas)) return;
    const context = canvas.getContext("2d");
    const [width, height] = [canvas.width, canvas.height];
    const pad = 6 * this.ratio;
    const scaleX = (width - 2 * pad) / this.plan.width;
    const scaleY = (height - 2 * pad) / this.plan.height;
    const one = Math.min(scaleX, scaleY * 6); // a thread would be invisible: wider than true
    const offset = (width - this.plan.width * one) / 2;
    this.graph.mapScale = { x: one / this.ratio, y: scaleY / this.ratio, left: offset / this.ratio, top: pad / this.ratio };
    const key = [width, height, this.app.look].join();
    if (this.graph.mapKey !== key) {
      this.graph.mapKey = key;
      this.graph.mapImage = document.createElement("canvas");
      Object.assign(this.graph.mapImage, { width, height });
      const paint = this.graph.mapImage.getContext("2d");
      for (const node of this.plan.nodes) {
        paint.fillStyle = this.app.toneOf(this.plan, node);
        paint.fillRect(offset + (node.x - node.w / 2) * one, pad + (node.y - node.h / 2) * scaleY,
          Math.max(node.w * one, 1.5), Math.max(node.h * scaleY, 1));
      }
    }
    context.clearRect(0, 0, width, height);
    context.drawImage(this.graph.mapImage, 0, 0);
    context.strokeStyle = this.colors.ring;
    context.lineWidth = 1.5 * this.ratio;
    const left = Math.max(1, offset + this.left * one);
    const right = Math.min(width - 1, offset + this.right * one);
    const top = Math.max(1, pad + this.top * scaleY);
    const bottom = Math.min(height - 1, pad + this.bottom * scaleY);
    context.strokeRect(left, top, Math.max(right - left, 3), Math.max(bottom - top, 3));
  }
}
