// The prompt as a row of chips. data: {tokens, picked, next}; reports `picked`, a position.

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".tokens");
  const chips = data.tokens.map((token) => chip(token, data.picked));
  walkable(chips, String(data.picked), alongLine(chips.length), (name) => {
    chips.forEach((c) => c.setAttribute("aria-pressed", String(c.dataset.name === name)));
    setTriggerValue("picked", Number(name));
  });
  const row = make("div", { class: "row", role: "group", "aria-label": "Tokens of the prompt" });
  row.append(...grouped(chips, data.tokens));
  repaint(root, ...[row, next(data.next)].filter(Boolean));
  show(row, chips[data.picked]);
}

function chip(token, picked) {
  const lines = [
    make("span", { class: "text" }, isolated(token.short)),
    " ",
    make("span", { class: "id" }, String(token.id)),
  ];
  return make(
    "button",
    {
      type: "button",
      class: `chip ${token.kind}${token.unseen ? " unseen" : ""}${token.grown ? " grown" : ""}`,
      "data-name": token.position,
      "aria-pressed": String(token.position === picked),
      // Begins with what is seen, so that whoever speaks to the page can say it.
      "aria-label": `${token.short} ${token.id}, token ${token.position}: ${token.text}${token.note ? ", " + token.note : ""}`,
      title: about(token),
    },
    ...lines,
  );
}

function about({ position, id, bytes, note, unseen }) {
  const never = unseen ? "this model has never seen it: a row of the table stands in for all such tokens" : "";
  return [`position ${position} · id ${id} · bytes ${bytes}`, note, never].filter(Boolean).join("\n");
}

// Chips that share a character stand in one frame with that character under them.
function grouped(chips, tokens) {
  const out = [];
  for (let i = 0; i < chips.length; i++) {
    if (tokens[i].kind !== "fragment") {
      out.push(chips[i]);
      continue;
    }
    const frame = make("span", { class: "group" });
    const group = tokens[i].group;
    while (i < chips.length && tokens[i].group === group) frame.append(chips[i++]);
    i--;
    frame.append(make("span", { class: "whole" }, isolated(tokens[i].whole)));
    out.push(frame);
  }
  return out;
}

function next(guess) {
  if (!guess) return null;
  return make(
    "div",
    { class: "next", title: `The model's best guess at the token after position ${guess.after}` },
    make("span", { class: "label" }, "next"),
    make(
      "span",
      { class: "chip guess" },
      make("span", { class: "text" }, isolated(guess.short)),
      make("span", { class: "id" }, guess.probability),
    ),
  );
}

function show(row, chip) {
  if (!chip) return;
  const top = chip.offsetTop - row.offsetTop;
  if (top < row.scrollTop || top + chip.offsetHeight > row.scrollTop + row.clientHeight) {
    row.scrollTop = top - row.clientHeight / 2;
  }
}
