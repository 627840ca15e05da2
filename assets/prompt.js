// The prompt with its examples. data: {text, examples: [{title, shows, text}]}
// Enter runs, Shift+Enter makes a new line. Reports `run`, the text.

const TALLEST = 94; // three lines and a half: the half says that there are more

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".prompt");
  const box = root.querySelector("textarea");
  const menu = root.querySelector(".menu");
  const toggle = root.querySelector(".examples");
  const run = (text) => setTriggerValue("run", text);
  if (root.dataset.shown !== data.text) {
    root.dataset.shown = data.text;
    box.value = data.text;
  }
  const grow = () => {
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, TALLEST)}px`;
  };
  const open = (yes) => {
    menu.hidden = !yes;
    toggle.setAttribute("aria-expanded", String(yes));
  };
  box.oninput = grow;
  box.onkeydown = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    run(box.value);
  };
  root.querySelector(".run").onclick = () => run(box.value);
  toggle.onclick = () => {
    open(menu.hidden);
    if (!menu.hidden) menu.querySelector("button")?.focus();
  };
  root.onkeydown = (event) => {
    if (event.key !== "Escape" || menu.hidden) return;
    open(false);
    toggle.focus();
  };
  const away = (event) => {
    if (!event.composedPath().includes(root)) open(false);
  };
  const items = data.examples.map((example, i) => entry(example, i));
  walkable(items, "0", alongLine(items.length, DOWNWARD), (name) => {
    open(false);
    box.value = data.examples[Number(name)].text;
    grow();
    run(box.value);
  });
  menu.replaceChildren(...items);
  document.addEventListener("click", away);
  const stop = onWidth(root, grow);
  return () => {
    stop();
    document.removeEventListener("click", away);
  };
}

function entry(example, i) {
  return make(
    "button",
    { type: "button", role: "menuitem", "data-name": i },
    make("strong", {}, example.title),
    make("span", { class: "shows" }, example.shows),
    make("code", {}, isolated(example.text)),
  );
}
