// Pods that wait, by their reasons.

function waitingView(page) {
  const cluster = page.cluster;
  const rows = waitingRows(cluster);
  const list = el('div', { class: 'reason-rows' });
  const search = textField('Search the pods that wait', 'Search pods and reasons', (text) => set({ q: text, row: '' }, true));
  const summary = el('p', { class: 'summary', role: 'status' });
  const root = el('div', null, el('div', { class: 'bar-of-controls' }, search.root, summary), list);
  let shown = null;

  function update(settings) {
    search.set(settings.q ?? '');
    const words = (settings.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const texts = searchTexts(cluster, 'pods');
    const matching = rows
      .map((row) => {
        const reasons = `${row.reasons.join(' ')} ${stateWords(row.state)}`.toLowerCase();
        const left = words.filter((word) => !reasons.includes(word));
        return { row, pods: left.length === 0 ? row.pods : row.pods.filter((p) => left.every((word) => texts[p].includes(word))) };
      })
      .filter((match) => match.pods.length > 0);
    const pods = matching.reduce((sum, match) => sum + match.pods.length, 0);
    summary.textContent = `${counted(pods, 'pod')} with ${counted(matching.length, 'set')} of reasons`;
    const now = JSON.stringify([settings.q, settings.row]);
    if (now === shown) {
      return;
    }
    shown = now;
    fill(
      list,
      matching.length === 0 ? el('p', { class: 'empty' }, rows.length === 0 ? 'No pod waits for a node.' : 'No pod that waits matches.') : matching.slice(0, 200).map((match) => reasonRow(match.row, match.pods, settings)),
    );
  }

  function reasonRow(row, pods, settings) {
    const name = rowName(row);
    const isOpen = settings.row === name || rows.length === 1;
    const owners = [...groupsOf(pods, (p) => ownerOf(cluster, p))].sort((a, b) => b[1].length - a[1].length);
    return el(
      'section',
      { class: isOpen ? 'reason-row open' : 'reason-row' },
      el(
        'button',
        { type: 'button', class: 'head', 'aria-expanded': String(isOpen), onclick: () => set({ row: isOpen ? '' : name }) },
        el('span', { class: 'count' }, count(pods.length)),
        el('span', { class: 'reasons' }, stateMark(row.state), row.reasons.length === 0 ? el('span', { class: 'reason' }, 'no message') : row.reasons.map((reason) => el('span', { class: 'reason' }, reason))),
        el('span', { class: 'note' }, `${owners[0][0]}${owners.length > 1 ? ` and ${owners.length - 1} more` : ''}`),
      ),
      isOpen ? detail(row, pods, owners) : null,
    );
  }

  function detail(row, pods, owners) {
    const first = reasonsOf(cluster.message(pods[0]));
    const podColumns = [
      { key: 'pod', title: 'Pod', cell: (p) => podLink(cluster.keys[p]), value: (p) => cluster.keys[p] },
      { key: 'owner', title: 'Owner', width: '22%', cell: (p) => cluster.owner(p), value: (p) => cluster.owner(p) },
      { key: 'requests', title: 'Requests', width: '30%', cell: (p) => requestText(cluster, p) },
      { key: 'priority', title: 'Priority', width: '110px', end: true, cell: (p) => count(cluster.priority(p)), value: (p) => cluster.priority(p) },
    ];
    const table = dataTable({ label: 'Pods with these reasons', columns: podColumns, open: (p) => go('pod', { key: cluster.keys[p] }) });
    table.show(pods);
    return el(
      'div',
      { class: 'detail' },
      el(
        'div',
        { class: 'columns' },
        el(
          'div',
          null,
          el('h3', null, `Reasons of ${cluster.keys[pods[0]]}, the first of them`),
          el('ul', { class: 'plain' }, first.reasons.map((reason) => el('li', null, reason.nodes === null ? null : el('strong', null, `${counted(reason.nodes, 'node')}: `), reason.text))),
          first.preemption.length > 0
            ? [el('h3', null, 'Preemption'), el('ul', { class: 'plain' }, first.preemption.map((reason) => el('li', null, reason.nodes === null ? null : el('strong', null, `${counted(reason.nodes, 'node')}: `), reason.text)))]
            : null,
        ),
        el('div', null, el('h3', null, counted(owners.length, 'owner')), el('ul', { class: 'plain' }, owners.slice(0, 12).map(([owner, of]) => el('li', null, el('strong', null, `${count(of.length)} `), owner)), owners.length > 12 ? el('li', null, `and ${owners.length - 12} more`) : null)),
      ),
      table.root,
    );
  }

  return { root, update };
}

function groupsOf(items, key) {
  const groups = new Map();
  for (const item of items) {
    const of = key(item);
    (groups.get(of) ?? groups.set(of, []).get(of)).push(item);
  }
  return groups;
}
