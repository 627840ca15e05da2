// The lecture's remote control: arrows and Page keys turn the sections, Escape leaves.
// Reports `go`, "next", "previous", "first", "last" or "leave". Arrows on a control stay with it; the
// Page keys, which a presenter's clicker sends, always turn.

const KEYS = {
  ArrowRight: "next", PageDown: "next", ArrowLeft: "previous", PageUp: "previous",
  Home: "first", End: "last", Escape: "leave",
};
const OWN = { ArrowRight: 1, ArrowLeft: 1, Home: 1, End: 1 }; // what a control needs itself
const CONTROLS = "input, textarea, select, [role=slider], [role=button], [role=radio], [role=combobox], [role=listbox]";

export default function ({ parentElement, setTriggerValue }) {
  const pressed = (event) => {
    const go = KEYS[event.key];
    const at = event.composedPath()[0];
    const busy = event.key in OWN && at instanceof Element && at.matches(CONTROLS);
    if (!go || busy || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setTriggerValue("go", go);
  };
  document.addEventListener("keydown", pressed);
  parentElement.querySelector("span").dataset.listening = "true";
  return () => document.removeEventListener("keydown", pressed);
}
