// Amounts as horizontal bars. The chart is a table, so that it needs no other text.

const MOST_BARS = 15;

/**
 * A chart of bars, one row for each thing.
 *
 * @param title what the chart shows
 * @param thing what a row is, such as "Node"
 * @param value what the bars are, with its unit
 * @param series the names of the bars of a row, if there are several
 * @param rows for each the name, the values, the texts of these (counts if not given), a note, and "most", the value of a full bar (the
 *     greatest of all rows if not given)
 * @param noteTitle what the notes are; not given if there are none
 */
function barChart({ title, thing, value, series, rows, noteTitle }) {
  const greatest = Math.max(...rows.flatMap((row) => row.values), 0);
  const shown = rows.slice(0, MOST_BARS);
  const barLine = (row, amount, at) =>
    el(
      'div',
      { class: `bar-line series-${at + 1}` },
      series ? el('span', { class: 'hidden' }, `${series[at]}: `) : null,
      el('span', { class: 'track', 'aria-hidden': 'true' }, el('span', { class: 'length', css: { width: `${(100 * amount) / (row.most || greatest || 1)}%` } })),
      el('span', { class: 'number' }, row.texts ? row.texts[at] : count(amount)),
    );
  return panel(
    title,
    series ? legendOf(series.map((name) => ({ name, kind: 'bars' }))) : null,
    el(
      'table',
      { class: 'bars' },
      el('thead', null, el('tr', null, [thing, value, noteTitle].filter(Boolean).map((text) => el('th', { scope: 'col' }, text)))),
      el(
        'tbody',
        null,
        shown.map((row) => el('tr', null, el('th', { scope: 'row' }, row.name), el('td', null, row.values.map((amount, at) => barLine(row, amount, at))), noteTitle ? el('td', { class: 'note' }, row.note ?? '') : null)),
      ),
    ),
    rows.length > shown.length ? el('p', { class: 'note' }, `and ${count(rows.length - shown.length)} more`) : null,
  );
}
