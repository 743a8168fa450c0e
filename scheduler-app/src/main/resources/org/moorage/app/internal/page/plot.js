// A chart with two axes, drawn by uPlot: titles and units at the axes, a legend that draws each series as the chart does, and the values under the pointer.

// Told apart by their dashes, too.
const SERIES = [
  { color: '--series-1', dash: [] },
  { color: '--series-2', dash: [7, 3] },
  { color: '--series-3', dash: [2, 3] },
  { color: '--series-4', dash: [9, 3, 2, 3] },
];
const PLOT_HEIGHT = 200;
const STEPS = [1, 2, 5].flatMap((factor) => [0, 1, 2, 3, 4, 5].map((power) => factor * 10 ** power)).sort((a, b) => a - b);

/**
 * A chart of whole numbers from 0 on.
 *
 * @param label what it shows, for readers who do not see it
 * @param x the title of the axis, its values, and its end
 * @param y the title of the other axis
 * @param series for each the name, the kind ("bars", "steps" or "line"), and for each x the value, or null; at most four
 * @param valuesAt the text for the values at an index of x
 */
function plot({ label, x, y, series, valuesAt }) {
  const holder = el('div', { class: 'plot', role: 'img', 'aria-label': label });
  const values = el('p', { class: 'note values', 'aria-hidden': 'true' });
  let drawn = null;
  let drawnAs = '';

  function draw() {
    drawn?.destroy();
    drawnAs = `${holder.clientWidth} ${currentTheme()}`;
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const font = `11px ${color('--font')}`;
    const axis = { stroke: color('--quiet'), grid: { stroke: color('--line'), width: 1 }, ticks: { stroke: color('--line'), width: 1 }, font, labelFont: font, labelSize: 18, incrs: STEPS, values: (self, all) => all.map(count) };
    drawn = new uPlot(
      {
        width: holder.clientWidth,
        height: PLOT_HEIGHT,
        cursor: { drag: { x: false, y: false }, y: false },
        legend: { show: false },
        scales: { x: { time: false, range: [0, x.end] }, y: { range: (self, low, high) => [0, Math.max(1, high * 1.05)] } },
        axes: [
          { ...axis, label: x.title, size: 30, space: 40 },
          { ...axis, label: y.title, size: 44, space: 26 },
        ],
        series: [{}, ...series.map(({ kind }, at) => seriesOptions(kind, color(SERIES[at].color), SERIES[at].dash))],
        hooks: { setCursor: [(self) => (values.textContent = self.cursor.idx === null || self.cursor.idx === undefined ? '' : valuesAt(self.cursor.idx))] },
      },
      [x.values, ...series.map((one) => one.values)],
      holder,
    );
  }

  observeSize(holder, (width) => {
    // A view that is shown again may have another theme since.
    if (width > 0 && drawnAs !== `${width} ${currentTheme()}`) {
      draw();
    }
  });
  return { root: el('div', null, series.length > 1 ? legendOf(series) : null, holder, values), redraw: () => holder.clientWidth > 0 && draw() };
}

function seriesOptions(kind, stroke, dash) {
  return {
    stroke,
    dash,
    width: kind === 'bars' ? 0 : 2,
    fill: kind === 'bars' ? stroke : null,
    spanGaps: kind === 'line',
    paths: kind === 'bars' ? uPlot.paths.bars({ size: [0.9], align: 1 }) : kind === 'steps' ? uPlot.paths.stepped({ align: 1 }) : null,
    points: { show: kind === 'line', size: 6, fill: stroke },
  };
}

/** The names of series, each with a sample that looks as it is drawn. */
function legendOf(series) {
  return el(
    'p',
    { class: 'note keys' },
    series.map(({ name, kind }, at) =>
      el(
        'span',
        { class: 'key' },
        svg('svg', { width: 26, height: 10, 'aria-hidden': 'true', class: `series-${at + 1}` }, kind === 'bars' ? svg('rect', { width: 26, height: 10, fill: 'currentColor' }) : svg('path', { d: 'M0 5H26', stroke: 'currentColor', 'stroke-width': 2, 'stroke-dasharray': SERIES[at].dash.join(' ') })),
        name,
      ),
    ),
  );
}
