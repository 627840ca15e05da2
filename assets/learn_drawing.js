// Architecture drawings from viz/learn/drawing.py. data: {drawings: [{title, width, height, shapes}],
// size}; shapes are trees of {tag, attributes, children}. Reports `picked`, the name of a box.

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".drawings");
  root.style.setProperty("--size", `${data.size}px`);
  repaint(root, ...data.drawings.map((one) => figure(one, data.captions)));
  const boxes = [...root.querySelectorAll("[role=button]")];
  if (boxes.length === 0) return;
  walkable(boxes, null, alongLine(boxes.length), (name) => setTriggerValue("picked", name));
}

function figure({ title, width, height, shapes }, captions) {
  const buttons = shapes.some((shape) => shape.attributes.role === "button");
  const picture = makeSvg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: buttons ? "group" : "img", "aria-label": title },
    ...shapes.map(built),
  );
  return make("figure", {}, captions ? make("figcaption", {}, title) : null, picture);
}

function built(shape) {
  if (typeof shape === "string") return shape;
  return makeSvg(shape.tag, shape.attributes, ...shape.children.map(built));
}
