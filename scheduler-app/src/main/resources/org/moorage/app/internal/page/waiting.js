// Pending pods, by their reasons.

function waitingView(page) {
  const cluster = page.cluster;
  const rows = waitingRows(cluster);
  const list = el('div', { class: 'reason-rows' });
  const search = textField('Search pending pods', 'Search pods and reasons', (text) => set({ q: text, row: '' }, true));
  const summary = el('p', { class: 'summary', role: 'status' });
  const parts = cluster.hasQueue ? queueParts(cluster) : [];
  const part = choice('Part of the queue', [['', 'all'], ...parts.filter(({ state }) => state !== 'waiting').map(({ state }) => [state, stateWords(state)])], (value) => set({ state: value, row: '' }));
  const root = el('div', null, parts.length > 0 ? queueStats(cluster, parts) : null, el('div', { class: 'bar-of-controls' }, search.root, parts.length > 0 ? part.root : null, summary), list);
  let shown = null;

  function update(settings) {
    search.set(settings.q ?? '');
    part.set(settings.state ?? '');
    const words = (settings.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const texts = searchTexts(cluster, 'pods');
    const matching = rows
      .filter((row) => !settings.state || row.state === settings.state)
      .map((row) => {
        const reasons = `${row.reasons.join(' ')} ${stateWords(row.state)}`.toLowerCase();
        const left = words.filter((word) => !reasons.includes(word));
        return { row, pods: left.length === 0 ? row.pods : row.pods.filter((p) => left.every((word) => texts[p].includes(word))) };
      })
      .filter((match) => match.pods.length > 0);
    const pods = matching.reduce((sum, match) => sum + match.pods.length, 0);
    summary.textContent = `${counted(pods, 'pod')} with ${counted(matching.length, 'distinct reason')}`;
    const now = JSON.stringify([settings.q, settings.state, settings.row]);
    if (now === shown) {
      return;
    }
    shown = now;
    fill(
      list,
      matching.length === 0 ? el('p', { class: 'empty' }, rows.length === 0 ? 'No pod is pending.' : 'No pending pod matches.') : matching.slice(0, 200).map((match) => reasonRow(match.row, match.pods, settings)),
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
        rowReasons(row, 'span'),
        el('span', { class: 'note' }, el('span', null, `${owners[0][0]}${owners.length > 1 ? ` and ${owners.length - 1} more` : ''}`), el('span', null, longestText(cluster, pods))),
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
      ...(cluster.hasQueue
        ? [
            { key: 'for', title: 'In the queue', width: '120px', end: true, cell: (p) => (cluster.forSeconds(p) < 0 ? '-' : duration(cluster.forSeconds(p))), value: (p) => cluster.forSeconds(p) },
            { key: 'attempts', title: 'Attempts', width: '100px', end: true, cell: (p) => (cluster.attempts(p) < 0 ? '-' : count(cluster.attempts(p))), value: (p) => cluster.attempts(p) },
          ]
        : []),
    ];
    let sorted = '';
    const table = dataTable({
      label: 'Pods with these reasons',
      columns: podColumns,
      open: (p) => go('pod', { key: cluster.keys[p] }),
      sort: (key) => {
        sorted = nextSort(sorted, key, podColumns);
        table.show(sortedRows(pods, podColumns, sorted), sorted);
      },
    });
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
          el('h2', null, `Reasons of ${cluster.keys[pods[0]]}, the first of them`),
          first.reasons.length > 0 ? reasonCounts(first.reasons) : el('p', null, row.reasons[0]),
          first.preemption.length > 0 ? [el('h2', null, 'Preemption'), reasonCounts(first.preemption)] : null,
        ),
        el('div', null, el('h2', null, counted(owners.length, 'owner')), el('ul', { class: 'plain' }, owners.slice(0, 12).map(([owner, of]) => el('li', null, el('strong', null, `${count(of.length)} `), owner)), owners.length > 12 ? el('li', null, `and ${owners.length - 12} more`) : null)),
      ),
      table.root,
    );
  }

  return { root, update };
}

/** The state and the reasons of pending pods. */
function rowReasons(row, tag) {
  return el(tag, { class: 'reasons' }, stateMark(row.state), row.reasons.map((reason) => el('span', { class: 'reason' }, reason)), row.note ? el('span', { class: 'note' }, row.note) : null);
}

function reasonCounts(reasons) {
  return el('ul', { class: 'plain' }, reasons.map((reason) => el('li', null, reason.nodes === null ? null : el('strong', null, `${counted(reason.nodes, 'node')}: `), reason.text)));
}

// In the order in which a pod comes through them.
const QUEUE_PARTS = ['gated', 'incomplete', 'active', 'inFlight', 'backoff', 'unschedulable', 'waiting'];

/** The parts of the scheduling queue that have pods, and those that wait for a permit. */
function queueParts(cluster) {
  const parts = new Map(QUEUE_PARTS.map((state) => [state, []]));
  for (let p = 0; p < cluster.podCount; p++) {
    parts.get(cluster.state(p))?.push(p);
  }
  return [...parts].map(([state, pods]) => ({ state, pods })).filter((part) => part.pods.length > 0);
}

function queueStats(cluster, parts) {
  return el('div', { class: 'stats queue' }, parts.map(({ state, pods }) => stat(stateWords(state), count(pods.length), longestText(cluster, pods) || 'not in the queue', state === 'waiting' ? link('pods', { state }) : link('waiting', { state }))));
}

/** For how long those in the queue are there, and how often they were tried, at most. */
function longestText(cluster, pods) {
  let longest = -1;
  let attempts = -1;
  for (const p of pods) {
    longest = Math.max(longest, cluster.forSeconds(p));
    attempts = Math.max(attempts, cluster.attempts(p));
  }
  const most = pods.length > 1 ? 'up to ' : '';
  const tried = attempts === 0 ? 'not tried' : `tried ${attempts > 1 ? most : ''}${times(attempts)}`;
  return longest < 0 ? '' : `for ${most}${duration(longest)}, ${tried}`;
}

function groupsOf(items, key) {
  const groups = new Map();
  for (const item of items) {
    const of = key(item);
    (groups.get(of) ?? groups.set(of, []).get(of)).push(item);
  }
  return groups;
}
