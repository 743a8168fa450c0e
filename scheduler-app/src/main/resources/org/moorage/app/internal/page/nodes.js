// Nodes: as tiles by zone, type or together, and as a table; and one of them in full.

function nodesView(page) {
  const cluster = page.cluster;
  const resources = shownResources(cluster);
  const columns = nodeColumns(cluster, resources);
  const search = textField('Search nodes', 'Search nodes, zones, types, taints', (text) => set({ q: text }, true));
  const by = fillChoice(cluster, [...resources, cluster.resources.length - 1]);
  const group = choice('Groups', [['', 'zones'], ['type', 'instance types'], ['none', 'none']], (value) => set({ group: value }));
  const order = choice('Order', [['', 'fill'], ['name', 'name']], (value) => set({ order: value }));
  const zone = choice('Zone', [['', 'all'], ...nodesBy(cluster, cluster.zone).map(([name]) => [name, name || 'none'])], (value) => set({ zone: value }));
  const type = choice('Type', [['', 'all'], ...nodesBy(cluster, cluster.type).map(([name]) => [name, name || 'none'])], (value) => set({ type: value }));
  const summary = el('p', { class: 'summary', role: 'status' });
  const legend = el('p', { class: 'note' });
  const tiles = tileField({
    label: 'Node utilization; arrow keys move, Enter selects',
    describe: (i) => describeNode(cluster, resources, i),
    choose: (i) => set({ node: cluster.nodeName(i) }),
  });
  const table = dataTable({ label: 'Nodes', columns, open: (i) => set({ node: cluster.nodeName(i) }), sort: (key) => set({ sort: nextSort(route().settings.sort ?? '-fullest', key, columns) }) });
  const detail = el('aside', { class: 'side', 'aria-label': 'The selected node' });
  const sides = el('div', { class: 'with-side' }, panel('', legend, tiles.root), detail);
  const root = el('div', null, el('div', { class: 'bar-of-controls' }, search.root, by.root, group.root, order.root, zone.root, type.root, summary), sides, panel('', table.root));
  let listed = null;
  let rows = null;
  let detailed = null;
  let laidOut = null;

  function update(settings) {
    search.set(settings.q ?? '');
    by.set(settings.by ?? FIRST_FILL);
    group.set(settings.group ?? '');
    order.set(settings.order ?? '');
    zone.set(settings.zone ?? '');
    type.set(settings.type ?? '');
    const selected = settings.node ? cluster.node(settings.node) : -1;
    list(settings);
    layOut(settings, selected);
    const sorted = settings.sort ?? '-fullest';
    if (rows?.nodes !== listed.nodes || rows.sorted !== sorted) {
      rows = { nodes: listed.nodes, sorted, ordered: sortedRows(listed.nodes, columns, sorted) };
    }
    if (detailed !== settings.node) {
      detailed = settings.node;
      fill(detail, selected >= 0 ? nodeDetail(cluster, selected) : settings.node ? el('p', { class: 'empty' }, `There is no node ${settings.node}.`) : null);
      detail.hidden = !settings.node;
      sides.classList.toggle('open', Boolean(settings.node));
    }
    table.show(rows.ordered, sorted, selected >= 0 ? selected : null);
  }

  function list(settings) {
    const filter = JSON.stringify([settings.q, settings.zone, settings.type]);
    if (filter === listed?.filter) {
      return;
    }
    const nodes = found(searchTexts(cluster, 'nodes'), settings.q ?? '', (i) => (!settings.zone || cluster.zone(i) === settings.zone) && (!settings.type || cluster.type(i) === settings.type));
    listed = { filter, nodes };
    const totals = resources.slice(0, 2).map((r) => `${cluster.resources[r]} ${percent(total(cluster, r, nodes).share)}`);
    summary.textContent = nodes.length === cluster.nodeCount ? `${counted(nodes.length, 'node')}; ${totals.join(', ')} requested` : `${count(nodes.length)} of ${counted(cluster.nodeCount, 'node')}; ${totals.join(', ')} requested`;
  }

  function layOut(settings, selected) {
    const layout = JSON.stringify([settings.by, settings.group, settings.order, listed.filter, currentTheme()]);
    if (layout === laidOut) {
      tiles.mark(selected);
      return;
    }
    laidOut = layout;
    const shares = sharesBy(cluster, settings.by);
    fill(legend, tileLegend(settings.by));
    tiles.show(tileGroups(cluster, listed.nodes, settings, shares), { share: (i) => shares[i], isCrossed: (i) => cluster.nodeState(i) !== '', marked: selected });
  }

  return {
    root,
    update,
    redraw: () => {
      laidOut = null;
      update(route().settings);
    },
  };
}

const FIRST_FILL = 'cpu';
const FULLEST = 'fullest';

/** The choice of what tiles are filled by. */
function fillChoice(cluster, resources) {
  return choice('Fill', [...resources.map((r) => [cluster.resources[r], cluster.resources[r]]), [FULLEST, 'fullest resource']], (value) => set({ by: value }));
}

/** How full each node is of one resource, or of its fullest. */
function sharesBy(cluster, resource) {
  return resource === FULLEST ? cluster.fullest : cluster.shares[Math.max(0, cluster.resources.indexOf(resource ?? FIRST_FILL))];
}

function tileGroups(cluster, nodes, settings, shares) {
  const key = settings.group === 'type' ? cluster.type : settings.group === 'none' ? () => '' : cluster.zone;
  const groups = sortedBy(groupsOf(nodes, key), ([name]) => nameKey(name));
  return groups.map(([title, of]) => {
    const ordered = settings.order === 'name' ? sortedBy(of, (i) => nameKey(cluster.nodeName(i))) : sortedBy(of, (i) => shares[i], true);
    const cpu = total(cluster, 0, of);
    const memory = total(cluster, 1, of);
    return {
      title: title || (groups.length > 1 ? 'none' : ''),
      note: `${counted(of.length, 'node')} · cpu ${percent(cpu.share)} · memory ${percent(memory.share)}`,
      nodes: ordered,
    };
  });
}

function nodeColumns(cluster, resources) {
  const slots = cluster.resources.length - 1;
  return [
    { key: 'name', title: 'Node', cell: (i) => nodeName(cluster, i), value: (i) => cluster.nodeName(i) },
    { key: 'fullest', title: 'Fullest', width: '120px', end: true, cell: (i) => `${shortName(cluster.resources[cluster.fullestResource[i]])} ${percent(cluster.fullest[i])}`, value: (i) => cluster.fullest[i] },
    { key: 'zone', title: 'Zone', width: '90px', cell: (i) => cluster.zone(i) || '-', value: (i) => cluster.zone(i) },
    { key: 'type', title: 'Type', width: '110px', cell: (i) => cluster.type(i) || '-', value: (i) => cluster.type(i) },
    { key: 'pods', title: 'Pods', width: '86px', end: true, cell: (i) => `${count(cluster.requested[slots][i])} / ${count(cluster.allocatable[slots][i])}`, value: (i) => cluster.requested[slots][i] },
    ...resources.slice(0, 4).map((r) => ({
      key: cluster.resources[r],
      title: resourceTitle(cluster, r),
      width: '125px',
      end: true,
      cell: (i) => (cluster.allocatable[r][i] === 0 && cluster.requested[r][i] === 0 ? '-' : shareCell(cluster.shares[r][i])),
      value: (i) => cluster.shares[r][i],
    })),
  ];
}

function nodeName(cluster, i) {
  const state = cluster.nodeState(i);
  return el('span', { title: cluster.nodeName(i) }, tagged(nodeLink(cluster.nodeName(i)), state));
}

function describeNode(cluster, resources, i, disruption) {
  return [
    cluster.nodeName(i),
    [cluster.zone(i), cluster.type(i), cluster.nodeState(i), disruption].filter(Boolean).join(' · '),
    ...resources.filter((r) => cluster.allocatable[r][i] > 0).map((r) => `${cluster.resources[r]} ${percent(cluster.shares[r][i])} of ${amount(cluster.resources[r], cluster.allocatable[r][i])}`),
    `${counted(cluster.requested[cluster.resources.length - 1][i], 'pod')}`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** One node: what is requested of each resource, and its pods. */
function nodeDetail(cluster, i) {
  const facts = [
    ['Zone', cluster.zone(i)],
    ['Type', cluster.type(i)],
    ['State', cluster.nodeState(i)],
    ['Taints', cluster.taints(i)],
  ].filter(([, value]) => value);
  const fullest = cluster.fullestResource[i];
  const r = fullest < cluster.resources.length - 1 ? fullest : 0;
  const columns = [
    { key: 'pod', title: 'Pod', cell: (p) => podLink(cluster.keys[p]), value: (p) => cluster.keys[p] },
    { key: 'request', title: shortName(cluster.resources[r]), width: '90px', end: true, cell: (p) => amount(cluster.resources[r], cluster.request(p, r)), value: (p) => cluster.request(p, r) },
    { key: 'priority', title: 'Priority', width: '116px', end: true, cell: (p) => count(cluster.priority(p)), value: (p) => cluster.priority(p) },
  ];
  const pods = sortedRows([...cluster.podsOn(i)], columns, '-request');
  const table = dataTable({ label: `Pods on ${cluster.nodeName(i)}`, columns, open: (p) => go('pod', { key: cluster.keys[p] }) });
  table.show(pods);
  return [
    el('header', null, el('h2', null, cluster.nodeName(i)), el('button', { type: 'button', class: 'close', 'aria-label': 'Close the node', onclick: () => set({ node: '' }) }, '×')),
    el('dl', null, facts.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
    el(
      'table',
      { class: 'amounts' },
      el('thead', null, el('tr', null, ['Resource', 'Requested', 'Allocatable', 'Share'].map((title, at) => el('th', { scope: 'col', class: at > 0 ? 'end' : null }, title)))),
      el(
        'tbody',
        null,
        cluster.resources
          .map((name, of) => of)
          .filter((of) => cluster.allocatable[of][i] > 0 || cluster.requested[of][i] > 0)
          .map((of) =>
            el(
              'tr',
              null,
              el('th', { scope: 'row' }, cluster.resources[of]),
              el('td', { class: 'end' }, amount(cluster.resources[of], cluster.requested[of][i])),
              el('td', { class: 'end' }, amount(cluster.resources[of], cluster.allocatable[of][i])),
              el('td', { class: 'end' }, shareCell(cluster.shares[of][i])),
            ),
          ),
      ),
    ),
    canAsk()
      ? el('p', null, 'Simulate: ', el('a', { href: link('ask', { drain: cluster.nodeName(i) }) }, 'drain this node'), ', ', el('a', { href: link('ask', { type: cluster.type(i) || cluster.nodeName(i) }) }, 'add nodes like this one'))
      : null,
    el('h3', null, counted(pods.length, 'pod')),
    table.root,
  ];
}
