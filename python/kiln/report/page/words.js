// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Words and elements. Names in a report come from files of others: they only ever become text.
const TYPES = { float32: "f32", float16: "f16", bfloat16: "bf16", float8: "f8" };

function time(us) {
  if (us === null || us === undefined) return "";
  if (us >= 1e6) return digits(us / 1e6) + " s";
  if (us >= 1e3) return digits(us / 1e3) + " ms";
  return digits(us) + " µs";
}

// A round time, on an axis.
function tick(us) {
  const [unit, size] = us >= 1e6 ? ["s", 1e6] : us >= 1e3 ? ["ms", 1e3] : ["µs", 1];
  return Number((us / size).toPrecision(6)) + " " + unit;
}

function digits(number) {
  return number === 0 ? "0" : number >= 100 ? number.toFixed(0) : number.toPrecision(3);
}

function bytes(count) {
  for (const unit of ["B", "KiB", "MiB"]) {
    if (count < 1024) return (unit === "B" ? count : count.toFixed(1)) + " " + unit;
    count /= 1024;
  }
  return count.toFixed(1) + " GiB";
}

function percent(part) {
  return (part * 100).toFixed(part < 0.1 ? 1 : 0) + " %";
}

function extents(shape) {
  return shape.length ? shape.map((extent) => (extent < 0 ? "?" : extent)).join("×") : "scalar";
}

// "/layers/layers.9/body/body.2/body.2.0/Conv" as "layers.9/body.2.0/Conv".
function compact(name) {
  const parts = name.split("/").filter(Boolean);
  const kept = parts.filter((part, i) => parts[i + 1] !== part && !(parts[i + 1] || "").startsWith(part + "."));
  return name.startsWith("/") && kept.length ? kept.join("/") : name;
}

// The first of a layer's names, with its middle left out if it is long, and how many more there are.
function shortName(layer, letters) {
  const more = layer.layers.length > 1 ? ` +${layer.layers.length - 1}` : "";
  const name = compact(layer.layers[0]);
  const room = Math.max(8, letters - more.length);
  if (name.length <= room) return (name || layer.node.title) + more;
  const tail = Math.ceil(room * 0.62);
  return name.slice(0, room - tail - 1) + "…" + name.slice(-tail) + more;
}

function tensorWords(tensor) {
  const format = /^linear$/i.test(tensor.format) ? "" : " " + tensor.format.toLowerCase();
  return extents(tensor.shape) + " " + (TYPES[tensor.type] || tensor.type) + format;
}

// make("p", {class: "soft"}, "text", element, ...): an element. Handlers are functions: onclick.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element[name] = value;
    else if (name === "style") element.style.cssText = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A canvas as large as its box, in pixels of the device. Returns whether it has any extent.
function fitCanvas(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return width > 0 && height > 0;
}

const tip = {
  box: null,
  show(text, x, y) {
    this.box ??= document.getElementById("tip");
    this.box.hidden = false;
    if (this.box.textContent !== text) this.box.textContent = text;
    const { offsetWidth: width, offsetHeight: height } = this.box;
    this.box.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 6)) + "px";
    this.box.style.top = (y + 18 + height > innerHeight ? y - height - 8 : y + 16) + "px";
  },
  hide() {
    if (this.box) this.box.hidden = true;
  },
};
