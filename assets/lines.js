// Who reads whom, as lines that follow the mouse without asking the server.
// data: {tokens, pattern, picked}; pattern is base64, one byte a cell of the (S, S) window, 255 for
// an attention of 1. Reports `picked`, a position.

const ROW = 19;
const TOP = 22;
const FAINT = 0.02; // lines thinner than this share are not drawn

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".lines");
  const pattern = Uint8Array.from(atob(data.pattern), (c) => c.charCodeAt(0));
  return onWidth(parentElement.querySelector(".measure"), (width) => {
    repaint(root, ...picture(data, pattern, Math.min(width, 620), setTriggerValue));
  });
}

function picture(data, pattern, width, setTriggerValue) {
  const S = data.tokens.length;
  const g = { S, left: width * 0.36, right: width * 0.64, width };
  const note = make("p", { class: "about", "aria-live": "polite" });
  const lines = makeSvg("g", {});
  const rows = data.tokens.map((token, i) => label(token, i, g, token.position === data.picked));
  const sources = data.tokens.map((token, j) => side(token, j, g));
  const start = data.tokens.findIndex((token) => token.position === data.picked);
  const show = (reader, read) => {
    draw(lines, note, data, pattern, g, reader, read);
    rows.forEach((row, i) => row.classList.toggle("lit", i === reader));
    sources.forEach((text, j) => text.classList.toggle("lit", j === read));
  };
  rows.forEach((row, i) => {
    row.addEventListener("pointerenter", () => show(i, null));
    row.addEventListener("focus", () => show(i, null));
  });
  sources.forEach((text, j) => text.addEventListener("pointerenter", () => show(null, j)));
  walkable(rows, String(data.picked), alongLine(S, DOWNWARD), (name) => setTriggerValue("picked", Number(name)));
  const height = TOP + S * ROW + 4;
  const svg = makeSvg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Attention as lines" },
    heading(g.left - 8, "reads", "end"), heading(g.right + 8, "is read", "start"),
    lines, ...rows, ...sources,
  );
  svg.addEventListener("pointerleave", () => show(start, null));
  show(start, null);
  return [svg, note];
}

function heading(x, words, anchor) {
  return makeSvg("text", { x, y: 12, class: "muted", "text-anchor": anchor }, words);
}

function label(token, i, g, picked) {
  const y = TOP + i * ROW;
  return makeSvg(
    "g",
    {
      class: `row${picked ? " picked" : ""}`, role: "button", "data-name": token.position,
      "aria-label": `token ${token.position}, ${token.short}`, "aria-pressed": String(picked),
    },
    makeSvg("rect", { x: 0, y, width: g.left, height: ROW, rx: 3 }),
    makeSvg("text", { x: g.left - 8, y: y + 14, "text-anchor": "end" }, token.short),
  );
}

function side(token, j, g) {
  const text = makeSvg("text", { x: g.right + 8, y: TOP + j * ROW + 14, class: "source" }, token.short);
  return text;
}

// Lines of one reader to all it reads, or from all readers to one source.
function draw(lines, note, data, pattern, g, reader, read) {
  const found = [];
  for (let i = 0; i < g.S; i++) {
    for (let j = 0; j <= i; j++) {
      const share = pattern[i * g.S + j] / 255;
      if (share >= FAINT && (i === reader || j === read)) found.push([i, j, share]);
    }
  }
  lines.replaceChildren(...found.map(([i, j, share]) => line(i, j, share, g)));
  note.textContent = told(found, data, reader, read);
}

function line(i, j, share, g) {
  const middle = (index) => TOP + index * ROW + ROW / 2;
  const bend = (g.right - g.left) / 2;
  const path = `M${g.left} ${middle(i)} C${g.left + bend} ${middle(i)} ${g.right - bend} ${middle(j)} ${g.right} ${middle(j)}`;
  return makeSvg("path", { class: "line", d: path, "stroke-width": 1 + 6 * share, opacity: 0.25 + 0.75 * share });
}

function told(found, data, reader, read) {
  const own = reader !== null;
  const who = data.tokens[own ? reader : read];
  const best = [...found].sort((a, b) => b[2] - a[2]).slice(0, 4);
  const parts = best.map(([i, j, share]) => {
    const other = data.tokens[own ? j : i];
    return `\u2068${other.short}\u2069 (${other.position}) ${share.toFixed(2)}`;
  });
  const verb = own ? "reads" : "is read by";
  return `\u2068${who.short}\u2069 (${who.position}) ${verb} ${parts.join(" · ") || "nothing in this window"}`;
}
