// The cluster in numbers: its pods, pending pods by reason, and node utilization.

function overviewView(page) {
  const cluster = page.cluster;
  const rows = waitingRows(cluster);
  const waiting = rows.reduce((sum, row) => sum + row.pods.length, 0);
  let placed = 0;
  for (let p = 0; p < cluster.podCount; p++) {
    placed += cluster.podNode(p) >= 0 ? 1 : 0;
  }
  const unusual = nodesBy(cluster, cluster.nodeState).filter(([state]) => state);
  const stats = el(
    'div',
    { class: 'stats' },
    stat('Nodes', count(cluster.nodeCount), unusual.map(([state, nodes]) => `${count(nodes.length)} ${state}`).join(', ') || 'all take pods', link('nodes')),
    stat('Pods on nodes', count(placed), `of ${counted(cluster.podCount, 'pod')}`, link('pods')),
    stat('Pending', count(waiting), waiting === 0 ? 'no pod is pending' : `for ${counted(rows.length, 'distinct reason')}`, link('waiting'), waiting > 0),
    shownResources(cluster)
      .slice(0, 4)
      .map((r) => {
        const all = total(cluster, r);
        return stat(
          cluster.resources[r],
          percent(all.share),
          `${amount(cluster.resources[r], all.requested)} of ${amount(cluster.resources[r], all.allocatable)} requested`,
          link('nodes', { by: cluster.resources[r] }),
          false,
          bar(all.share),
        );
      }),
  );
  const histograms = shownResources(cluster)
    .slice(0, SERIES.length)
    .map((r) => utilizationHistogram(cluster.resources[r], [{ name: cluster.resources[r], shares: cluster.shares[r], allocatable: cluster.allocatable[r] }]));
  const root = el(
    'div',
    null,
    stats,
    page.notes.length > 0 ? el('ul', { class: 'notes' }, page.notes.map((note) => el('li', null, note))) : null,
    el(
      'div',
      { class: 'columns' },
      panel('Pending pods by reason', rows.length === 0 ? el('p', { class: 'empty' }, 'No pod is pending.') : waitingList(cluster, rows.slice(0, 6)), rows.length > 6 ? el('p', null, el('a', { href: link('waiting') }, `and ${counted(rows.length - 6, 'more reason')}`)) : null),
      panel('Node utilization', el('div', { class: 'plots' }, histograms.map((one) => one.root))),
    ),
    el('div', { class: 'columns wide' }, groupPanel(cluster, 'By zone', 'zone', cluster.zone), groupPanel(cluster, 'By instance type', 'type', cluster.type)),
  );
  return { root, update: () => {}, redraw: () => histograms.forEach((one) => one.redraw()) };
}

function stat(title, value, note, href, isBad, more) {
  return el('a', { class: isBad ? 'stat bad' : 'stat', href }, el('span', { class: 'title' }, title), el('strong', null, value), more ?? null, el('span', { class: 'note' }, note));
}

/** Sets of reasons with how many pods of whom. */
function waitingList(cluster, rows) {
  return el(
    'ul',
    { class: 'waiting' },
    rows.map((row) => {
      const owners = [...row.owners.entries()].sort((a, b) => b[1] - a[1]);
      return el(
        'li',
        null,
        el('a', { class: 'count', href: link('waiting', { row: rowName(row) }), 'aria-label': `${counted(row.pods.length, 'pod')}, show them` }, count(row.pods.length)),
        el(
          'div',
          null,
          rowReasons(row, 'div'),
          el('div', { class: 'note' }, `${counted(row.pods.length, 'pod')} of ${owners.slice(0, 3).map(([owner]) => owner).join(', ')}${owners.length > 3 ? ` and ${owners.length - 3} more` : ''}`),
        ),
      );
    }),
  );
}

/** A short name of a row of reasons, for links: it is the same whenever the reasons are. */
function rowName(row) {
  let hash = 5381;
  for (let i = 0; i < row.key.length; i++) {
    hash = (hash * 33 + row.key.charCodeAt(i)) >>> 0;
  }
  return hash.toString(36);
}

function groupPanel(cluster, title, setting, key) {
  const resources = shownResources(cluster).slice(0, 3);
  const rows = nodesBy(cluster, key).map(([name, nodes]) => ({
    name,
    nodes: nodes.length,
    totals: resources.map((r) => total(cluster, r, nodes)),
  }));
  const columns = [
    {
      key: 'name',
      title: title.replace(/^By /, '').replace(/^./, (first) => first.toUpperCase()),
      cell: (row) => (row.name ? el('a', { href: link('nodes', { [setting]: row.name }) }, row.name) : 'none'),
      value: (row) => row.name,
    },
    { key: 'nodes', title: 'Nodes', width: '70px', end: true, cell: (row) => count(row.nodes), value: (row) => row.nodes },
    ...resources.map((r, i) => ({
      key: cluster.resources[r],
      title: resourceTitle(cluster, r),
      width: '125px',
      end: true,
      cell: (row) => (row.totals[i].allocatable === 0 ? '-' : shareCell(row.totals[i].share)),
      value: (row) => row.totals[i].share,
    })),
  ];
  let sorted = 'name';
  const table = dataTable({
    label: `Nodes ${title.toLowerCase()}`,
    columns,
    sort: (column) => {
      sorted = nextSort(sorted, column, columns);
      table.show(sortedRows(rows, columns, sorted), sorted);
    },
  });
  table.show(sortedRows(rows, columns, sorted), sorted);
  return panel(title, table.root);
}
