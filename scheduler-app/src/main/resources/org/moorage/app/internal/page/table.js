// A table of any length, of which only the rows in sight are elements.

const ROW = 27;
const MARGIN = 6;
// No table is higher. To ask how high one is that has just been filled would have the page laid out once more.
const HIGHEST_OF_WINDOW = 0.8;

let windowHeight = window.innerHeight;
window.addEventListener('resize', () => (windowHeight = window.innerHeight));

/**
 * A table of any length.
 *
 * @param label what it lists
 * @param columns key, title, width ("grow" in place of one takes what is left), cell(row) as text or element, and, if it can be sorted by,
 *     value(row) as number or text; end for numbers
 * @param open gets the row that is opened; not given if there is nothing to open
 * @param sort gets the key of the column to sort by
 */
function dataTable({ label, columns, open, sort }) {
  const id = `table-${dataTable.made++}`;
  let rows = [];
  let active = -1;
  let shown = '';
  let height = 0;
  // Whether it is as high as it can be.
  let isFull = false;
  let top = 0;
  const body = el('tbody', null);
  const least = leastWidth(columns.map((column) => column.width));
  const heads = columns.map((column) =>
    el(
      'th',
      { scope: 'col', class: column.end ? 'end' : null, 'data-key': column.key },
      column.value && sort
        ? el('button', { type: 'button', class: 'sort', title: `Sort by ${column.title}`, onclick: () => sort(column.key) }, column.title, el('span', { class: 'arrow', 'aria-hidden': 'true' }))
        : column.title,
    ),
  );
  const table = el(
    'table',
    { class: open ? 'data opens' : 'data', role: 'grid', tabindex: '0', 'aria-label': label, css: { 'min-width': `${least}px` }, onkeydown: press },
    el('colgroup', null, columns.map((column) => el('col', { css: column.width ? { width: column.width } : {} }))),
    el('thead', null, el('tr', null, heads)),
    body,
  );
  const scroller = el('div', { class: 'scroller', onscroll: scrolled }, table);
  const empty = el('p', { class: 'empty' }, 'Nothing to show.');
  const root = el('div', { class: 'table' }, scroller, empty);
  observeSize(scroller, (width, now) => {
    if (now > 0) {
      height = now;
      isFull = rows.length * ROW > height;
      scrolled();
    }
  });

  function scrolled() {
    top = scroller.scrollTop;
    paint(false);
    mark();
  }

  function paint(isNew) {
    const seen = height === 0 || (isNew && !isFull) ? HIGHEST_OF_WINDOW * windowHeight : height;
    const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
    const last = Math.min(rows.length, Math.ceil((top + seen) / ROW) + MARGIN);
    const range = `${first}-${last}`;
    if (!isNew && range === shown) {
      return;
    }
    shown = range;
    const parts = [];
    if (first > 0) {
      parts.push(spacer(first));
    }
    for (let at = first; at < last; at++) {
      parts.push(rowAt(at));
    }
    if (last < rows.length) {
      parts.push(spacer(rows.length - last));
    }
    body.replaceChildren(...parts);
  }

  function spacer(count) {
    return el('tr', { class: 'space', 'aria-hidden': 'true', css: { height: `${count * ROW}px` } });
  }

  function rowAt(at) {
    const row = rows[at];
    return el(
      'tr',
      {
        id: `${id}-${at}`,
        'aria-rowindex': at + 2,
        onclick: (event) => {
          if (open && !event.target.closest('a, button')) {
            active = at;
            open(row);
          }
        },
      },
      columns.map((column) => {
        const content = column.cell(row);
        return el('td', { class: column.end ? 'end' : null, title: typeof content === 'string' && content.length > 12 ? content : null }, content);
      }),
    );
  }

  function mark() {
    for (const row of body.children) {
      const isActive = row.id === `${id}-${active}`;
      row.classList.toggle('active', isActive);
      if (!row.classList.contains('space')) {
        row.setAttribute('aria-selected', isActive);
      }
    }
    if (active >= 0 && document.getElementById(`${id}-${active}`)) {
      table.setAttribute('aria-activedescendant', `${id}-${active}`);
    } else {
      table.removeAttribute('aria-activedescendant');
    }
  }

  function press(event) {
    if (event.target !== table || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const moves = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: rows.length - 1 };
    if (event.key in moves && rows.length > 0) {
      event.preventDefault();
      activate(Math.max(0, Math.min(rows.length - 1, moves[event.key])));
    } else if (event.key === 'Enter' && open && active >= 0) {
      event.preventDefault();
      open(rows[active]);
    }
  }

  function activate(at) {
    active = at;
    scroll(scrolledTo(at, top), false);
  }

  function showHead(sorted) {
    const key = sorted.replace(/^-/, '');
    for (const head of heads) {
      if (key !== '' && head.dataset.key === key) {
        head.setAttribute('aria-sort', sorted.startsWith('-') ? 'descending' : 'ascending');
      } else {
        head.removeAttribute('aria-sort');
      }
    }
    table.setAttribute('aria-rowcount', rows.length + 1);
    // A short list takes no more room than it needs.
    scroller.style.setProperty('--rows', rows.length);
    empty.hidden = rows.length > 0;
    scroller.hidden = rows.length === 0;
  }

  /** How far to scroll from there so that a row is in sight. */
  function scrolledTo(at, from) {
    const start = at * ROW;
    const head = ROW + 1;
    if (height === 0) {
      height = scroller.clientHeight;
    }
    if (start < from) {
      return start;
    }
    return start + ROW + head > from + height ? Math.ceil((start + ROW + head - height) / ROW) * ROW : from;
  }

  // The rows that will be in sight are there before, so that they are made once.
  function scroll(to, isNew) {
    const isMoved = to !== top;
    top = to;
    paint(isNew);
    if (isMoved) {
      scroller.scrollTop = top;
    }
    mark();
  }

  return {
    root,
    /** Shows rows in this order; the key of the column that they are sorted by, with a minus before it for downwards. */
    show(list, sorted, selected) {
      const isOther = list !== rows;
      rows = list;
      active = selected === undefined || selected === null ? -1 : rows.indexOf(selected);
      if (isOther) {
        showHead(sorted ?? '');
      }
      const from = isOther ? 0 : top;
      scroll(active < 0 ? from : scrolledTo(active, from), isOther);
    },
  };
}
dataTable.made = 0;

/** Columns without a width share what shares and fixed widths leave, and want some room each; where there is less, the table scrolls. */
function leastWidth(widths) {
  const sum = (unit) => widths.filter((width) => width?.endsWith(unit)).reduce((all, width) => all + parseFloat(width), 0);
  const left = 1 - sum('%') / 100;
  return left > 0.05 ? (sum('px') + 170 * widths.filter((width) => !width).length) / left : 90 * widths.length;
}

/** The next order when a column is chosen: numbers begin with the greatest. */
function nextSort(now, key, columns) {
  const column = columns.find((one) => one.key === key);
  const first = column?.end ? `-${key}` : key;
  if (now === first) {
    return column?.end ? key : `-${key}`;
  }
  return first;
}

/** Rows sorted by a column of the table; as they are if there is no such column. */
function sortedRows(rows, columns, sorted) {
  const column = columns.find((one) => one.key === (sorted ?? '').replace(/^-/, ''));
  if (!column?.value) {
    return rows;
  }
  return sortedBy(
    rows,
    (row) => {
      const value = column.value(row);
      // To find the numbers in many names takes too long.
      return typeof value === 'number' || rows.length > 10000 ? value : nameKey(value);
    },
    sorted.startsWith('-'),
  );
}
