// The lecture's remote control: arrows and Page keys turn the sections, Escape leaves.
// data: {sections, shown, press}. Reports `go`, {section, press, leave}. It names the section to show
// and not a step, for of several quick presses the server answers the last alone. Once that one is
// answered, `shown` is where the next press starts from. Arrows on a control stay with it; the Page
// keys, which a presenter's clicker sends, always turn.

const STEPS = {
  ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity, Escape: 0,
};
const OWN = { ArrowRight: 1, ArrowLeft: 1, Home: 1, End: 1 }; // what a control needs itself
const CONTROLS = "input, textarea, select, [role=slider], [role=button], [role=radio], [role=combobox], [role=listbox]";
let presses = 0; // so far
let there = 0; // the section the last press asked for
let stop = () => {}; // new data calls the script again, and it must not listen twice

export default function ({ data, parentElement, setTriggerValue }) {
  const { sections, shown, press } = data;
  if (press >= presses) [presses, there] = [press, sections.indexOf(shown)];
  const pressed = (event) => {
    const at = event.composedPath()[0];
    const busy = event.key in OWN && at instanceof Element && at.matches(CONTROLS);
    const ours = event.key in STEPS && !busy;
    if (!ours || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    there = Math.min(sections.length - 1, Math.max(0, there + STEPS[event.key]));
    presses += 1;
    const leave = event.key === "Escape";
    setTriggerValue("go", { section: sections[there], press: presses, leave });
  };
  stop();
  stop = () => document.removeEventListener("keydown", pressed);
  document.addEventListener("keydown", pressed);
  parentElement.querySelector("span").dataset.listening = "true";
  return () => stop();
}
