// Text that can be copied.

/** A text with a button that copies it; where the page may not, the text is selected, so that a key copies it. */
function copyable(text, name) {
  const source = el('code', { title: text }, text);
  const button = el('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${name}`, onclick: async () => announceCopy(button, await isCopied(text, source)) }, 'Copy');
  return [source, button];
}

async function isCopied(text, source) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return document.execCommand('copy');
  }
}

function announceCopy(button, copied) {
  const said = copied ? 'Copied' : 'Selected: press Ctrl+C';
  button.textContent = said;
  announce(said);
}
