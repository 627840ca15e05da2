// Copies the address of this view: the address bar always holds all of its choices.

export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  button.onclick = async () => {
    const said = (await copied(window.location.href)) ? "Copied" : "Copy the address bar";
    button.textContent = said;
    setTimeout(() => (button.textContent = "Copy link"), 1600);
  };
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
