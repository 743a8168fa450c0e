// How many nodes are how full of a resource.

const BINS = 20;

/**
 * The nodes by their utilization.
 *
 * @param resource the resource's name
 * @param sides for each the name, the share that is requested of each node, and what is allocatable; the second is drawn over the first
 */
function utilizationHistogram(resource, sides) {
  const bins = sides.map(({ shares, allocatable }) => histogram(shares, allocatable));
  const width = 100 / BINS;
  const ofSide = (at, text) => (sides.length > 1 ? `${sides[at].name}: ${text}` : text);
  return plot({
    label: `Nodes by utilization of ${resource}. ${bins.map((bin, at) => ofSide(at, describeBins(bin))).join('; ')}`,
    x: { title: `${shortName(resource)} requested, % of allocatable`, values: Array.from({ length: BINS + 1 }, (_, bin) => bin * width), end: 100 },
    y: { title: 'nodes' },
    // The steps go on to the end of the last bin.
    series: bins.map((bin, at) => ({ name: sides[at].name, kind: at === 0 ? 'bars' : 'steps', values: [...bin, at === 0 ? null : bin[BINS - 1]] })),
    valuesAt: (index) => {
      const bin = Math.min(index, BINS - 1);
      return `${bin * width} to ${(bin + 1) * width}%: ${bins.map((of, at) => ofSide(at, counted(of[bin], 'node'))).join(', ')}`;
    },
  });
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

function describeBins(bins) {
  const quarter = BINS / 4;
  const sum = (from) => bins.slice(from, from + quarter).reduce((all, some) => all + some, 0);
  return `${sum(0)} nodes below 25%, ${sum(quarter)} below 50%, ${sum(2 * quarter)} below 75%, ${sum(3 * quarter)} above`;
}
