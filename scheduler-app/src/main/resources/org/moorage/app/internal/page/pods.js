// All pods, as a table.

function podsView(page) {
  const cluster = page.cluster;
  const columns = [
    { key: 'pod', title: 'Pod', cell: (p) => el('span', { title: cluster.keys[p] }, podLink(cluster.keys[p])), value: (p) => cluster.keys[p] },
    { key: 'owner', title: 'Owner', width: '16%', cell: (p) => cluster.owner(p) || '-', value: (p) => cluster.owner(p) },
    { key: 'state', title: 'State', width: '150px', cell: (p) => stateMark(cluster.state(p)), value: (p) => stateWords(cluster.state(p)) },
    { key: 'node', title: 'Node, or why none', width: '22%', cell: (p) => (cluster.podNode(p) < 0 ? reasonText(cluster, p) : nodeLink(cluster.nodeName(cluster.podNode(p)))), value: (p) => (cluster.podNode(p) < 0 ? '' : cluster.nodeName(cluster.podNode(p))) },
    { key: 'cpu', title: 'cpu', width: '80px', end: true, cell: (p) => amount('cpu', cluster.request(p, 0)), value: (p) => cluster.request(p, 0) },
    { key: 'memory', title: 'memory', width: '90px', end: true, cell: (p) => amount('memory', cluster.request(p, 1)), value: (p) => cluster.request(p, 1) },
    { key: 'priority', title: 'Priority', width: '120px', end: true, cell: (p) => count(cluster.priority(p)), value: (p) => cluster.priority(p) },
  ];
  const namespaces = sortedBy(new Set(Array.from({ length: cluster.podCount }, (_, p) => cluster.namespace(p))), nameKey);
  const states = [...new Set(Array.from({ length: cluster.podCount }, (_, p) => cluster.state(p)))].sort();
  const search = textField('Search pods', 'Search pods, owners, nodes', (text) => set({ q: text }, true));
  const namespace = choice('Namespace', [['', 'all'], ...namespaces.map((name) => [name, name])], (value) => set({ namespace: value }));
  const state = choice('State', [['', 'all'], ...states.map((name) => [name, stateWords(name)])], (value) => set({ state: value }));
  const summary = el('p', { class: 'summary', role: 'status' });
  const table = dataTable({ label: 'Pods', columns, open: (p) => go('pod', { key: cluster.keys[p] }), sort: (key) => set({ sort: nextSort(route().settings.sort ?? '', key, columns) }) });
  const root = el('div', null, el('div', { class: 'bar-of-controls' }, search.root, namespace.root, state.root, summary), panel('', table.root));
  root.classList.add('tall');
  let filter = null;

  function update(settings) {
    search.set(settings.q ?? '');
    namespace.set(settings.namespace ?? '');
    state.set(settings.state ?? '');
    const now = JSON.stringify([settings.q, settings.namespace, settings.state, settings.sort]);
    if (now === filter) {
      return;
    }
    filter = now;
    const pods = found(searchTexts(cluster, 'pods'), settings.q ?? '', (p) => (!settings.namespace || cluster.namespace(p) === settings.namespace) && (!settings.state || cluster.state(p) === settings.state));
    summary.textContent = pods.length === cluster.podCount ? counted(pods.length, 'pod') : `${count(pods.length)} of ${counted(cluster.podCount, 'pod')}`;
    table.show(sortedRows(pods, columns, settings.sort), settings.sort);
  }

  return { root, update };
}
