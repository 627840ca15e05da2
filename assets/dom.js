// What the components share: building elements, and one way to walk buttons by keyboard.

const SVG = "http://www.w3.org/2000/svg";

// make("button", {class: "chip"}, "text or", children): text is always text, never markup.
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Token text may run right to left; <bdi> keeps that from turning its neighbours around.
function isolated(text) {
  return make("bdi", {}, text);
}

// One Tab stop for the whole set; arrows move, Enter and Space pick, as does a click.
// step(key, index) gives the index to go to. Every item carries data-name.
function walkable(items, picked, step, onPick) {
  const start = Math.max(0, items.findIndex((item) => item.dataset.name === picked));
  items.forEach((item, index) => {
    item.setAttribute("tabindex", index === start ? "0" : "-1");
    item.addEventListener("click", () => onPick(item.dataset.name));
    item.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        onPick(item.dataset.name);
        return;
      }
      const target = items[step(event.key, index)];
      if (!target || target === item) return;
      event.preventDefault();
      item.setAttribute("tabindex", "-1");
      target.setAttribute("tabindex", "0");
      target.focus();
    });
  });
}

const ONWARD = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
const DOWNWARD = { ArrowDown: 1, ArrowUp: -1 }; // for what reads as a list

// The next index along a line, for walkable().
function alongLine(length, moves = ONWARD) {
  return (key, index) => {
    if (key === "Home") return 0;
    if (key === "End") return length - 1;
    return Math.min(length - 1, Math.max(0, index + (moves[key] ?? 0)));
  };
}

// Replace what `root` shows, and put the keyboard back where it was.
function repaint(root, ...content) {
  const scope = root.getRootNode();
  const focused = scope.activeElement?.dataset?.name;
  root.replaceChildren(...content);
  if (focused === undefined) return;
  const again = [...root.querySelectorAll("[data-name]")].find((e) => e.dataset.name === focused);
  again?.focus({ preventScroll: true });
}

// Call draw(width) now and whenever the element's width changes; returns the way to stop.
function onWidth(element, draw) {
  let last = 0;
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width > 0 && width !== last) draw((last = width));
  });
  observer.observe(element);
  return () => observer.disconnect();
}

// A custom property of the page as [r, g, b], for canvases.
function colour(element, name) {
  const probe = make("span", { style: `color:var(${name})` });
  element.append(probe);
  const channels = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  probe.remove();
  return channels;
}
