// Copies the address of this view: the address bar holds its choices, and to those belongs the model,
// also where it is the one the page starts on, since another server may start on another.
// data: {model}, its name, or "" where no other machine would know it.

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.onclick = async () => {
    const said = (await copied(address(data.model))) ? "Copied" : "Copy the address bar";
    button.textContent = said;
    setTimeout(() => (button.textContent = "Copy link"), 1600);
  };
}

function address(model) {
  const { href, search } = window.location;
  if (!model || new URLSearchParams(search).has("model")) return href;
  return `${href}${search ? "&" : "?"}model=${encodeURIComponent(model)}`;
}

// The clipboard is closed to pages served without TLS from another machine; the caller says so then.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
