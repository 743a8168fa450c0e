// Elements. Untrusted names become text, never markup.

const NO_ATTRIBUTES = {};

/**
 * Makes an element. An attribute whose name begins with "on" is a listener; "css" sets properties of its style, which the page's
 * policy allows and the attribute "style" not. Children are elements or texts; null is left out.
 */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? NO_ATTRIBUTES)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'css') {
      for (const [property, text] of Object.entries(value)) {
        element.style.setProperty(property, text);
      }
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  fill(element, children);
  return element;
}

/** Replaces what is in an element. */
function fill(element, children) {
  element.replaceChildren(...[children].flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A bar that shows a share of a whole; over 1 it is full, and marked. */
function bar(share, label) {
  const isOver = share > 1.0001;
  return el(
    'span',
    { class: isOver ? 'bar over' : share > 0.9 ? 'bar high' : 'bar', role: 'img', 'aria-label': label ?? percent(share) },
    el('span', { class: 'level', css: { width: `${Math.max(0, Math.min(1, share)) * 100}%` } }),
  );
}

/** A share as a bar with its number. */
function shareCell(share) {
  return el('span', { class: 'share' }, bar(share), el('span', { class: 'number' }, percent(share)));
}

/** A labelled choice among a few; options are pairs of value and text. */
function choice(label, options, onchange) {
  const select = el(
    'select',
    { onchange: () => onchange(select.value) },
    options.map(([value, text]) => el('option', { value }, text)),
  );
  return { root: el('label', { class: 'choice' }, el('span', null, label), select), set: (value) => (select.value = value) };
}

/** A labelled text field; the listener gets the text after each change. */
function textField(label, placeholder, oninput) {
  const input = el('input', { type: 'search', placeholder, 'aria-label': label, spellcheck: 'false', oninput: () => oninput(input.value) });
  return {
    root: input,
    set: (value) => {
      if (input.value !== value) {
        input.value = value;
      }
    },
  };
}

/** A name or link with a word next to it; only the name if that is empty. */
function tagged(name, tag) {
  return tag ? el('span', { class: 'tagged' }, name, el('span', { class: 'tag' }, tag)) : name;
}

/** A section with a heading. */
function panel(title, ...children) {
  return el('section', { class: 'panel', 'aria-label': typeof title === 'string' ? title : null }, title ? el('h2', null, title) : null, children);
}

/** Reports changes of an element's width and height, in the next frame, so that changes by the listener count as the next ones. */
function observeSize(element, changed) {
  new ResizeObserver((entries) => {
    const { width, height } = entries[entries.length - 1].contentRect;
    requestAnimationFrame(() => changed(Math.round(width), Math.round(height)));
  }).observe(element);
}

/** Announces a text to users of screen readers. */
function announce(text) {
  document.getElementById('announcement').textContent = text;
}
