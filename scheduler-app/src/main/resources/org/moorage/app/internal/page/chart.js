// How many nodes are how full, as a chart and as a table.

const BINS = 20;
// Told apart by their dashes, too.
const LINES = [
  { color: '--series-1', dash: [] },
  { color: '--series-2', dash: [7, 3] },
  { color: '--series-3', dash: [2, 3] },
  { color: '--series-4', dash: [9, 3, 2, 3] },
];

function fillChart(cluster) {
  const resources = shownResources(cluster).slice(0, LINES.length);
  const bins = resources.map((r) => histogram(cluster.shares[r], cluster.allocatable[r]));
  const holder = el('div', {
    class: 'chart',
    role: 'img',
    'aria-label': `How many nodes are how full: ${resources.map((r, i) => `${cluster.resources[r]} ${describe(bins[i])}`).join('; ')}`,
  });
  let plot = null;
  let drawn = '';

  function draw(isOther) {
    if (!holder.isConnected || holder.clientWidth === 0) {
      return;
    }
    const state = `${holder.clientWidth} ${currentTheme()}`;
    if (state === drawn && !isOther) {
      return;
    }
    drawn = state;
    plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: color('--quiet'), grid: { stroke: color('--line'), width: 1 }, ticks: { stroke: color('--line'), width: 1 }, font: `11px ${style.getPropertyValue('--font')}` };
    plot = new uPlot(
      {
        width: holder.clientWidth,
        height: 230,
        cursor: { drag: { x: false, y: false }, y: false },
        legend: { live: true },
        scales: { x: { time: false, range: [0, 100] }, y: { range: (self, low, high) => [0, Math.max(1, high * 1.05)] } },
        axes: [
          { ...axis, values: (self, values) => values.map((value) => `${value}%`) },
          { ...axis, size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000], values: (self, values) => values.map((value) => count(value)) },
        ],
        series: [
          { label: 'requested', value: (self, value) => (value === null ? '–' : `${Math.round(value)} to ${Math.round(value) + 100 / BINS}%`) },
          ...resources.map((r, i) => ({
            label: cluster.resources[r],
            stroke: color(LINES[i].color),
            width: 2,
            dash: LINES[i].dash,
            paths: uPlot.paths.stepped({ align: 1 }),
            points: { show: false },
            value: (self, value) => (value === null ? '–' : counted(value, 'node')),
          })),
        ],
      },
      [Array.from({ length: BINS + 1 }, (_, bin) => (bin * 100) / BINS), ...bins.map((bin) => [...bin, bin[BINS - 1]])],
      holder,
    );
    // The legend is a table of ours to readers of the screen: the chart is told as one picture.
    holder.querySelector('.u-legend')?.setAttribute('role', 'presentation');
  }

  observeSize(holder, () => draw(false));
  return { root: holder, draw };
}

/** How many nodes are in each twentieth; what is over the whole counts with the last. */
function histogram(shares, allocatable) {
  const bins = new Array(BINS).fill(0);
  for (let i = 0; i < shares.length; i++) {
    if (allocatable[i] > 0) {
      bins[Math.min(BINS - 1, Math.floor(shares[i] * BINS))]++;
    }
  }
  return bins;
}

function describe(bins) {
  const quarter = BINS / 4;
  const sum = (from) => bins.slice(from, from + quarter).reduce((all, some) => all + some, 0);
  return `${sum(0)} nodes below 25%, ${sum(quarter)} below 50%, ${sum(2 * quarter)} below 75%, ${sum(3 * quarter)} above`;
}
