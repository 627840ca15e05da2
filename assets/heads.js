// All attention heads as thumbnails, block 0 at the bottom as in the diagram, or by an order.
// data: {N, H, size, pixels, picked, scores, colouring, order}; pixels is base64, one byte a cell, 255
// for an attention of 1, heads from 0.0 to N-1.H-1, of each the rows without the future: 1 + 2 + ...
// + size cells. With a colouring, {title, values, shares, says},
// each head is one shade instead. With an order, names of all heads, the first stands top left and
// each bears its name. Reports `picked`, a name such as "5.1".

const GAP = 2;
const EDGE = 30; // room for the labels of the rows, and a little to the right

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".heads");
  const draw = (width) => paint(root, data, width, setTriggerValue);
  return onWidth(parentElement.querySelector(".measure"), draw);
}

function paint(root, data, width, setTriggerValue) {
  const cell = Math.max(12, Math.min(44, Math.floor((width - EDGE) / data.H)));
  const grid = make("div", { class: "grid", role: "group", "aria-label": "All attention heads" });
  const size = `width:${cell * data.H}px;height:${cell * data.N}px`;
  grid.setAttribute("style", size);
  const canvas = thumbnails(root, data, cell);
  canvas.setAttribute("style", size);
  const places = allPlaces(data);
  const buttons = places.map((place) => button(place, data, cell));
  const line = make("p", { class: "about", "aria-live": "polite" });
  const describe = (name) => (line.textContent = about(name ?? data.picked, data));
  walkable(buttons, data.picked, overGrid(data), (name) => {
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.name === name)));
    setTriggerValue("picked", name);
  });
  for (const b of buttons) {
    b.addEventListener("pointerenter", () => describe(b.dataset.name));
    b.addEventListener("focus", () => describe(b.dataset.name));
  }
  grid.addEventListener("pointerleave", () => describe());
  grid.append(canvas, ...buttons);
  describe();
  const axes = data.order ? [make("span"), make("span")] : [rowLabels(data, cell), columnLabels(data, cell)];
  const wide = EDGE + cell * data.H > width;
  const across = make("div", { class: wide ? "across wide" : "across" }, axes[0], grid, axes[1]);
  const before = root.querySelector(".across")?.scrollLeft ?? 0;
  repaint(root, across, line);
  const keep = () => keepInView(across, before, buttons.find((b) => b.dataset.name === data.picked));
  keep();
  requestAnimationFrame(keep); // the first time may have come before the styles
}

// More heads than fit are walked through sideways: the place stays where the visitor has left it,
// unless the picked head is elsewhere.
function keepInView(across, before, picked) {
  across.scrollLeft = before;
  if (!picked || !across.matches(".wide")) return;
  const [at, seen] = [picked, across].map((element) => element.getBoundingClientRect());
  if (at.left < seen.left || at.right > seen.right) across.scrollLeft += at.left - seen.left - seen.width / 2;
}

function* each(count) {
  for (let i = 0; i < count; i++) yield i;
}

// Every head and where it stands, in rows counted from the bottom, as they are walked.
function allPlaces(data) {
  const spots = [...each(data.N)].flatMap((row) => [...each(data.H)].map((column) => ({ row, column })));
  return spots.map(({ row, column }) => {
    const name = data.order ? data.order[(data.N - 1 - row) * data.H + column] : `${row}.${column}`;
    const [layer, head] = name.split(".").map(Number);
    return { row, column, layer, head, name };
  });
}

function button({ row, column, name }, data, cell) {
  const left = column * cell;
  const top = (data.N - 1 - row) * cell;
  const shown = data.order && cell >= 20 ? name : "";
  const [layer, head] = name.split(".").map(Number);
  const strong = data.colouring?.shares[layer][head] > 0.6;
  return make("button", {
    type: "button",
    class: strong ? "head strong" : "head",
    "data-name": name,
    "aria-label": about(name, data),
    "aria-pressed": String(name === data.picked),
    style: `left:${left}px;top:${top}px;width:${cell}px;height:${cell}px`,
  }, shown);
}

// Up means a later block, so the grid is walked as it is seen.
function overGrid({ N, H }) {
  const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
  return (key, index) => {
    const [up, right] = moves[key] ?? [0, 0];
    const layer = Math.floor(index / H) + up;
    const head = (index % H) + right;
    return layer < 0 || layer >= N || head < 0 || head >= H ? index : layer * H + head;
  };
}

function about(name, data) {
  const [layer, head] = name.split(".").map(Number);
  const { colouring } = data;
  const scores = Object.entries(colouring ? { [colouring.title]: colouring.values } : data.scores)
    .map(([title, values]) => [title, values[layer]?.[head]])
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([title, value]) => `${title} ${value.toFixed(2)}`);
  return [`head ${name}`, ...scores, ...(colouring ? [colouring.says] : [])].join(" · ");
}

// The picture of all heads, drawn anew only when it shows something else: a click moves a frame.
function thumbnails(root, data, cell) {
  const ratio = Math.max(1, Math.min(2, window.devicePixelRatio || 1));
  const colours = [colour(root, "--gb-surface"), colour(root, "--gb-attn")];
  const shown = JSON.stringify([data.N, data.H, data.pixels, data.colouring, data.order, cell, ratio, colours]);
  if (root.shown !== shown) Object.assign(root, { shown, picture: drawn(data, cell, ratio, colours) });
  return root.picture;
}

function drawn(data, cell, ratio, [low, high]) {
  const pixels = Uint8Array.from(atob(data.pixels), (c) => c.charCodeAt(0));
  const canvas = make("canvas", { "aria-hidden": "true" });
  canvas.width = data.H * cell * ratio;
  canvas.height = data.N * cell * ratio;
  const pen = canvas.getContext("2d");
  const inner = (cell - GAP) * ratio;
  pen.imageSmoothingEnabled = data.size > inner;
  const palette = shades(low, high);
  const cells = (data.size * (data.size + 1)) / 2;
  for (const { row, column, layer, head } of allPlaces(data)) {
    const at = (layer * data.H + head) * cells;
    const x = (column * cell + GAP / 2) * ratio;
    const y = ((data.N - 1 - row) * cell + GAP / 2) * ratio;
    if (data.colouring) {
      pen.fillStyle = `rgb(${palette[Math.round(255 * data.colouring.shares[layer][head])].slice(0, 3)})`;
      pen.fillRect(x, y, inner, inner);
    } else {
      pen.drawImage(tile(pixels, at, data.size, palette), x, y, inner, inner);
    }
  }
  return canvas;
}

function tile(pixels, start, size, palette) {
  const canvas = make("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(size, size);
  for (let row = 0, next = start; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const value = column > row ? 0 : pixels[next++];
      image.data.set(palette[value], 4 * (row * size + column));
    }
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

function shades(low, high) {
  return [...each(256)].map((value) => {
    const share = value / 255;
    return [...low.map((channel, i) => channel + (high[i] - channel) * share), 255];
  });
}

function rowLabels(data, cell) {
  const labels = [...each(data.N)].reverse().map((layer) => axisLabel(layer, data.N, cell, "height"));
  return make("div", { class: "rows", "aria-hidden": "true" }, ...labels);
}

function columnLabels(data, cell) {
  const labels = [...each(data.H)].map((head) => axisLabel(head, data.H, cell, "width"));
  return make("div", { class: "columns", "aria-hidden": "true" }, ...labels);
}

function axisLabel(index, count, cell, side) {
  const every = Math.ceil(18 / cell);
  return make("span", { style: `${side}:${cell}px` }, index % every ? "" : String(index));
}
