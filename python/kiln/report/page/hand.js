// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Mouse, touch and wheel on a graph: drag to move, wheel or two fingers to zoom, click to select.
class Hand {
  constructor(graph) {
    this.graph = graph;
    this.down = new Map();
    const canvas = graph.canvas;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.lift(event));
    }
    canvas.addEventListener("pointerleave", () => tip.hide());
    canvas.addEventListener("dblclick", (event) => graph.zoom(1.8, event.offsetX, event.offsetY));
    for (const name of ["pointerdown", "pointermove"]) {
      graph.map.addEventListener(name, (event) => event.buttons && this.jump(event));
    }
  }

  wheel(event) {
    event.preventDefault();
    tip.hide();
    this.graph.moving = null;
    const wheel = event.deltaMode !== 0 || (event.deltaX === 0 && Math.abs(event.deltaY) >= 50);
    if (event.ctrlKey || event.metaKey || (wheel && !event.shiftKey)) {
      const speed = event.ctrlKey && !wheel ? 0.01 : 0.0016;
      const delta = event.deltaMode === 0 ? event.deltaY : event.deltaY * 33;
      this.graph.zoom(Math.exp(-delta * speed), event.offsetX, event.offsetY);
    } else { // two fingers on a touchpad, or shift
      const across = event.shiftKey && event.deltaX === 0;
      this.graph.view.x -= across ? event.deltaY : event.deltaX;
      this.graph.view.y -= across ? 0 : event.deltaY;
      this.graph.draw();
    }
  }

  press(event) {
    this.graph.moving = null;
    this.graph.canvas.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.far = 0;
    tip.hide();
  }

  move(event) {
    const from = this.down.get(event.pointerId);
    if (!from) return this.hover(event);
    const to = { x: event.offsetX, y: event.offsetY };
    if (this.down.size === 2) {
      const [, other] = [...this.down].find(([id]) => id !== event.pointerId);
      const before = Math.hypot(from.x - other.x, from.y - other.y);
      const now = Math.hypot(to.x - other.x, to.y - other.y);
      this.graph.zoom(now / Math.max(before, 1), (to.x + other.x) / 2, (to.y + other.y) / 2);
    } else {
      this.graph.view.x += to.x - from.x;
      this.graph.view.y += to.y - from.y;
    }
    this.far += Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
    this.down.set(event.pointerId, to);
    this.graph.canvas.classList.toggle("held", this.far > 4);
    this.graph.draw();
  }

  lift(event) {
    this.down.delete(event.pointerId);
    this.graph.canvas.classList.remove("held");
    if (event.type === "pointerup" && this.far <= 4) {
      this.graph.app.select(this.graph.plan, this.graph.nodeAt(event.offsetX, event.offsetY));
    }
  }

  hover(event) {
    const node = this.graph.nodeAt(event.offsetX, event.offsetY);
    this.graph.canvas.classList.toggle("over", node !== null);
    if (node) tip.show(this.graph.app.tipOf(this.graph.plan, node), event.clientX, event.clientY);
    else tip.hide();
  }

  jump(event) {
    const scale = this.graph.mapScale;
    this.graph.moving = null;
    this.graph.center({ x: (event.offsetX - scale.left) / scale.x, y: (event.offsetY - scale.top) / scale.y });
    this.graph.draw();
  }
}
