// Three matrices in a row: scores to change by hand, the same behind the mask, and their softmax.
// data: see viz/learn/softmax.py. Reports `changed`, {row, column, value}.

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".matrices");
  root.style.setProperty("--size", `${data.size}px`);
  repaint(
    root,
    matrix("Scores · change any", data, (r, c) => input(data, r, c, setTriggerValue)),
    matrix("After the mask", data, (r, c) => plain(data, r, c)),
    matrix("Softmax of each row", data, (r, c) => share(data.shares[r][c]), data.sums),
  );
}

function matrix(title, data, cell, sums) {
  const corner = make("td", {});
  const top = make("tr", {}, corner, ...data.labels.map((label) => heading(label, "col")));
  if (sums) top.append(make("th", { scope: "col", class: "sum" }, "sum"));
  const rows = data.labels.map((label, r) => {
    const row = make("tr", {}, heading(label, "row"), ...data.labels.map((_, c) => cell(r, c)));
    if (sums) row.append(make("td", { class: "sum" }, sums[r]));
    return row;
  });
  const table = make("table", {}, make("caption", {}, title), make("tbody", {}, top, ...rows));
  return make("div", { class: "sideways", role: "group", tabindex: "0", "aria-label": title }, table);
}

function heading(label, scope) {
  return make("th", { scope, title: label }, isolated(label));
}

function input(data, r, c, setTriggerValue) {
  const name = `${r}.${c}`;
  const field = make("input", {
    type: "number", step: "0.5", value: data.scores[r][c], "data-name": name,
    "aria-label": `score of ${data.labels[r]} for ${data.labels[c]}, row ${r}, column ${c}`,
  });
  field.addEventListener("change", () => {
    if (Number.isNaN(field.valueAsNumber)) {
      field.value = data.scores[r][c]; // emptied: what is shown is what counts
      return;
    }
    setTriggerValue("changed", { row: r, column: c, value: field.valueAsNumber });
  });
  return make("td", { class: "field" }, field);
}

function plain(data, r, c) {
  return make("td", { class: data.ahead && c > r ? "ahead" : "" }, data.masked[r][c]);
}

function share({ text, fill, ink }) {
  return make("td", { style: `background:${fill};color:${ink}` }, text);
}
