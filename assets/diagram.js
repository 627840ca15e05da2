// GPT-2 as a stream that every box writes to, bottom to top, for the position in focus.
// data: see viz/diagram.py. Reports `picked`, the name of a box: the module's own path.

const HEAD = 126; // guesses, lm_head and norm above the blocks
const FOOT = 62; // the embedding below them
const OPEN = 128; // an opened block
const NARROW = 420; // a drawing on a phone
const LETTER = 7.3; // width of one in a guess
const PROBABILITY = 42; // room for the number beside it
const BOX = { width: 38, height: 20 };

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".diagram");
  return onWidth(parentElement.querySelector(".measure"), (width) => {
    const picture = drawing(data, geometry(data, width), setTriggerValue);
    repaint(root, make("div", { class: "scroll" }, picture), stepper(data, setTriggerValue));
  });
}

// Walks the stream from the embedding to the answer, one box at a time; arrow keys work on it too.
function stepper(data, setTriggerValue) {
  const names = data.order;
  let here = names.indexOf(data.at);
  const go = (step) => {
    const next = Math.min(names.length - 1, Math.max(0, here + step));
    if (next === here) return;
    here = next; // keys may come faster than the page repaints
    setTriggerValue("picked", names[here]);
  };
  const button = (name, label, sign, step) => {
    const element = make("button", { type: "button", "data-name": name, "aria-label": label, title: label }, sign);
    element.disabled = here + step < 0 || here + step >= names.length;
    element.addEventListener("click", () => go(step));
    return element;
  };
  const bar = make(
    "div",
    { class: "stepper", role: "group", "aria-label": "Walk the stream" },
    button("step down", "One step down the stream", "↓", -1),
    make("span", {}, "step ", make("b", {}, String(here + 1)), ` of ${names.length} up the stream`),
    button("step up", "One step up the stream", "↑", 1),
  );
  bar.addEventListener("keydown", (event) => {
    const step = ONWARD[event.key];
    if (!step) return;
    event.preventDefault();
    go(step);
  });
  return bar;
}

// Where everything stands. Rows are the blocks' middles; levels are the 2N+1 states of the stream.
function geometry(data, width) {
  const closed = data.N - (data.open === null ? 0 : 1);
  const room = data.height - HEAD - FOOT - (data.open === null ? 0 : OPEN);
  const row = Math.max(24, Math.min(80, room / Math.max(1, closed)));
  const height = HEAD + FOOT + closed * row + (data.open === null ? 0 : OPEN);
  const rows = [];
  let bottom = height - FOOT;
  for (let i = 0; i < data.N; i++) {
    const tall = i === data.open ? OPEN : row;
    rows.push({ bottom, middle: bottom - tall / 2, top: bottom - tall });
    bottom -= tall;
  }
  const at = (share) => Math.round(width * share);
  return {
    width, height, rows,
    attn: at(0.225), stream: at(0.34), ff: at(0.46),
    branch: at(0.55), module: Math.max(at(0.7), at(0.55) + 62),
    bar: at(0.585), barRoom: at(0.12), guess: at(0.725), number: width - 12,
  };
}

function drawing(data, g, setTriggerValue) {
  const picture = makeSvg("svg", {
    viewBox: `0 0 ${g.width} ${g.height}`, width: g.width, height: g.height,
    role: "group", "aria-label": "Architecture: choose a box to see the tensor behind it",
  });
  const boxes = [];
  const box = (...args) => boxes[boxes.push(boxButton(data, ...args)) - 1];
  picture.append(...headline(data, g), stream(data, g));
  picture.append(box("embed", "embed", g.stream, g.height - 28, "embed · wte + wpe", 138, 26));
  g.rows.forEach((row, i) => {
    picture.append(...(i === data.open ? openBlock(data, g, row, i, box) : closedBlock(data, g, row, i, box)));
  });
  picture.append(box("norm", "norm", g.stream, 108, "norm", 118, 22));
  picture.append(box("lm_head", "head", g.stream, 80, "lm_head", 118, 24));
  picture.append(...topGuesses(data, g), footnote(data, g));
  walkable(boxes, data.at, alongLine(boxes.length), (name) => {
    boxes.forEach((b) => b.classList.toggle("picked", b.dataset.name === name));
    setTriggerValue("picked", name);
  });
  return picture;
}

function boxButton(data, name, kind, x, y, label, width = BOX.width, height = BOX.height) {
  const reach = 4; // fingers and mice may miss by this much
  return makeSvg(
    "g",
    {
      class: `box ${kind}${name === data.at ? " picked" : ""}`,
      role: "button", "data-name": name, "aria-label": `${label}, ${name}: ${data.about[kind]}`,
      "aria-pressed": String(name === data.at),
    },
    makeSvg("title", {}, `${name}\n${data.about[kind]}`),
    makeSvg("rect", {
      class: "reach", x: x - width / 2 - reach, y: y - height / 2 - reach,
      width: width + 2 * reach, height: height + 2 * reach,
    }),
    makeSvg("rect", { class: "face", x: x - width / 2, y: y - height / 2, width, height, rx: 4 }),
    makeSvg("text", { x, y: y + 4, "text-anchor": "middle" }, label),
  );
}

function closedBlock(data, g, row, i, box) {
  const y = row.middle;
  return [
    text(16, y + 4, String(i), "index"),
    line(g.attn, y, g.ff, y),
    box(`blocks.${i}.attn`, "attn", g.attn, y, "attn"),
    box(`blocks.${i}.ff`, "ff", g.ff, y, "ff"),
    written(data, 2 * i + 1, "attn", g.attn, y + 13, BOX.width),
    written(data, 2 * i + 2, "ff", g.ff, y + 13, BOX.width),
    ...guessRow(data.guesses[i + 1], g, y),
  ];
}

// Opened, a block shows its two reads and two writes: read, work, add, twice.
function openBlock(data, g, row, i, box) {
  const frame = makeSvg("rect", {
    class: "frame", x: 6, y: row.top + 4, width: g.width - 12, height: OPEN - 8, rx: 7,
  });
  return [
    frame,
    streamPart(data, g, row, i),
    text(16, row.top + 21, `blocks.${i}`, "name"),
    ...branch(g, row.bottom - 20, row.bottom - 42),
    ...branch(g, row.bottom - 72, row.bottom - 94),
    box(`blocks.${i}.norm_1`, "norm", g.branch, row.bottom - 20, "norm_1", 54),
    box(`blocks.${i}.attn`, "attn", g.module, row.bottom - 20, "attn", 48),
    box(`blocks.${i}.norm_2`, "norm", g.branch, row.bottom - 72, "norm_2", 54),
    box(`blocks.${i}.ff`, "ff", g.module, row.bottom - 72, "ff", 48),
    written(data, 2 * i + 1, "attn", g.module, row.bottom - 7, 48),
    written(data, 2 * i + 2, "ff", g.module, row.bottom - 59, 48),
    ...shapes(data, g, row),
    ...guessRow(data.guesses[i + 1], g, row.top + 17),
  ];
}

// What flows through the block, where there is room to say it.
function shapes(data, g, row) {
  if (g.width < NARROW) return [];
  return [
    text(g.stream + 14, row.bottom - 32, data.shapes.norm, "shape"),
    text(g.module + 30, row.bottom - 22, data.shapes.heads, "shape"),
    text(g.module + 30, row.bottom - 10, data.shapes.pattern, "shape"),
    text(g.module + 30, row.bottom - 68, data.shapes.ff, "shape"),
  ];
}

// A line under a box, as long as what it writes to the stream at the token in focus.
function written(data, level, kind, x, y, room) {
  const largest = Math.max(...data.writes.slice(1)) || 1;
  const width = Math.max(1, room * (data.writes[level] / largest));
  const bar = makeSvg("rect", { class: `written ${kind}`, x: x - width / 2, y, width, height: 3, rx: 1.5 });
  bar.append(makeSvg("title", {}, `adds a vector of norm ${data.writes[level].toPrecision(3)}`));
  return bar;
}

// From the stream through norm and module back to the +.
function branch(g, read, add) {
  const path = `M${g.stream} ${read + 8} H${g.branch - 40} V${read} H${g.module} V${add} H${g.stream}`;
  return [
    makeSvg("path", { class: "wire", d: path }),
    makeSvg("circle", { class: "plus", cx: g.stream, cy: add, r: 7.5 }),
    makeSvg("path", { class: "plus", d: `M${g.stream - 4} ${add} h8 M${g.stream} ${add - 4} v8` }),
  ];
}

// The stream's outline: as wide as its norm after each writer.
function stream(data, g) {
  const levels = [[g.height - 41, 0]];
  g.rows.forEach((row, i) => levels.push(...blockLevels(data, row, i)));
  levels.push([118, data.norms.length - 1]);
  return outline(data, g, levels);
}

function streamPart(data, g, row, i) {
  const before = [row.bottom - 4, 2 * i];
  return outline(data, g, [before, ...blockLevels(data, row, i), [row.top + 4, 2 * i + 2]]);
}

function blockLevels(data, row, i) {
  const [attn, ff] = i === data.open ? [row.bottom - 42, row.bottom - 94] : [row.middle, row.top];
  return [[attn, 2 * i + 1], [ff, 2 * i + 2]];
}

function outline(data, g, levels) {
  const largest = Math.max(...data.norms) || 1;
  const half = (level) => 1 + 10 * (data.norms[level] / largest);
  const left = levels.map(([y, level]) => `${g.stream - half(level)} ${y}`);
  const right = levels.map(([y, level]) => `${g.stream + half(level)} ${y}`).reverse();
  return makeSvg("polygon", { class: "stream", points: [...left, ...right].join(" ") });
}

function headline(data, g) {
  const after = makeSvg("text", { x: 16, y: 22, class: "muted" });
  const token = makeSvg("tspan", { class: "token", direction: "ltr" }, data.after.short);
  after.append("Residual stream after ", token, ` (${data.after.position})`);
  const guess = text(g.number, 22, "best guess so far", "muted end");
  guess.append(
    makeSvg(
      "title",
      {},
      "The next token, read from the stream at this height as if it were the top, and its " +
        "probability: low down a hint, not a thought",
    ),
  );
  return [after, guess];
}

function topGuesses(data, g) {
  return data.top.flatMap((guess, i) => guessRow(guess, g, 48 + 19 * i, "top"));
}

function guessRow(guess, g, y, extra = "") {
  const width = Math.max(1.5, g.barRoom * guess.share);
  const bar = makeSvg("rect", { class: `bar ${extra}`, x: g.bar, y: y - 6, width, height: 12, rx: 2 });
  bar.style.opacity = extra ? 1 : 0.35 + 0.5 * guess.share;
  const word = text(g.guess, y + 4, guess.short, `guess ${extra}`);
  const room = g.number - PROBABILITY - g.guess;
  if ([...guess.short].length * LETTER > room) { // on a phone: narrower letters rather than fewer
    word.setAttribute("textLength", room);
    word.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  word.append(makeSvg("title", {}, `${guess.text}: probability ${guess.probability}`));
  return [bar, word, text(g.number, y + 4, guess.probability, `number end ${extra}`)];
}

function footnote(data, g) {
  const y = g.width < NARROW ? g.height - 4 : g.height - 24; // under the box where there is no room beside it
  return text(g.number, y, data.norm_note, "muted end small");
}

function text(x, y, content, kind) {
  const anchor = kind.includes("end") ? "end" : "start";
  return makeSvg("text", { x, y, class: kind, "text-anchor": anchor }, content);
}

function line(x1, y1, x2, y2) {
  return makeSvg("line", { class: "wire", x1, y1, x2, y2 });
}
