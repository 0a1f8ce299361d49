// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Keys, buttons and the grips between the parts of the page.
const KEYS = [["/", "search; Enter and Shift+Enter go from hit to hit"], ["← ↑ ↓ →", "along the edges, and within a row"],
  ["+ −", "closer, further"], ["0", "the whole graph"], ["c", "centre the selected layer"], ["w a s d", "move the graph"],
  ["h", "colours by time"], ["t", "light or dark"], ["Esc", "back: search, then selection"],
  ["wheel, drag", "zoom and move; the timeline, too (double click: all of it)"]];

class Keys {
  constructor(app) {
    this.app = app;
    const search = document.getElementById("search");
    search.addEventListener("input", () => app.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") app.next(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") {
        app.search("");
        this.graph().canvas.focus();
      }
      event.stopPropagation();
    });
    document.getElementById("heat").onclick = () => this.heat();
    document.getElementById("theme").onclick = () => this.theme();
    document.getElementById("help").onclick = () => this.help();
    document.addEventListener("keydown", (event) => this.key(event));
    document.querySelectorAll(".grip").forEach((grip) => this.grip(grip));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
      app.dark = event.matches;
      app.repaint();
    });
  }

  graph() {
    return this.app.graphs[this.app.last ?? 0];
  }

  heat() {
    this.app.hot = !this.app.hot && this.app.plans.some((plan) => plan.timed);
    this.app.repaint();
  }

  theme() {
    this.app.dark = !this.app.dark;
    this.app.repaint();
  }

  help() {
    const dialog = document.getElementById("keys");
    dialog.replaceChildren(make("h2", { style: "margin-top:0" }, "Keys"),
      make("table", {}, ...KEYS.map(([key, text]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, text)))),
      make("form", { method: "dialog", style: "margin-top:12px;text-align:right" }, make("button", {}, "Close")));
    dialog.showModal();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const graph = this.graph();
    const move = (x, y) => {
      graph.moving = null;
      graph.view.x += x;
      graph.view.y += y;
      graph.draw();
    };
    const acts = {
      "/": () => document.getElementById("search").focus(), "?": () => this.help(), h: () => this.heat(), t: () => this.theme(),
      "+": () => graph.zoom(1.3), "=": () => graph.zoom(1.3), "-": () => graph.zoom(1 / 1.3), 0: () => graph.fit(),
      w: () => move(0, 80), s: () => move(0, -80), a: () => move(80, 0), d: () => move(-80, 0),
      c: () => graph.selected && graph.go({ ...graph.view, x: graph.canvas.clientWidth / 2 - graph.selected.x * graph.view.scale,
        y: graph.canvas.clientHeight / 2 - graph.selected.y * graph.view.scale }),
      n: () => this.app.next(1), N: () => this.app.next(-1),
      Escape: () => (this.app.found ? this.app.search("") : this.app.select(null, null)),
    };
    if (event.key.startsWith("Arrow")) {
      const node = graph.neighbour(event.key);
      if (node) this.app.select(graph.plan, node);
    } else if (acts[event.key]) {
      acts[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  }

  grip(grip) {
    const box = document.getElementById(grip.dataset.resizes);
    const flat = grip.classList.contains("flat");
    const sign = grip.dataset.resizes === "list" ? 1 : -1;
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
      const start = flat ? event.clientY : event.clientX;
      const size = flat ? box.offsetHeight : box.offsetWidth;
      grip.onpointermove = (now) => {
        const next = size + sign * ((flat ? now.clientY : now.clientX) - start);
        box.style[flat ? "height" : "width"] = Math.max(70, Math.min(next, (flat ? innerHeight : innerWidth) * 0.6)) + "px";
      };
      grip.onpointerup = () => { grip.onpointermove = null; };
    });
  }
}
