// A pod: where it is, and the results of the plugins on each node.

// In the words of the command explain.
const CHANGES = {
  lowerRequests: (details) => `lower its request by ${details}`,
  tolerations: (details) => `tolerate ${details}`,
  nodeSelector: (details) => `remove ${details} from its node selector`,
  nodeAffinity: (details) => `remove its required node affinity${details ? `, and ${details} from its node selector` : ''}`,
  podAffinity: (details) => `remove its required pod affinity by ${details}`,
  podAntiAffinity: (details) => `remove the required pod anti-affinity by ${details}`,
  topologySpread: (details) => `relax its topology spread: ${details}`,
  uncordon: (details) => `uncordon ${details}`,
  fewerPods: (details) => `evict ${details}`,
  objects: (details) => details,
};

function podView(page) {
  const cluster = page.cluster;
  const root = el('div', null);
  let shown = null;

  function update(settings) {
    const key = settings.key ?? page.evaluations[0]?.pod ?? '';
    const evaluation = page.evaluations.find((one) => one.pod === key) ?? null;
    if (shown !== key) {
      shown = key;
      const p = cluster.pod(key);
      const answer = el('div', null);
      const parts = [p >= 0 ? podFacts(cluster, p) : panel(key || 'No pod', el('p', { class: 'empty' }, key ? 'This pod is not in the cluster as it is shown.' : 'Choose a pod from the list of pods.'))];
      const waits = el('div', null);
      parts.push(waits, answer);
      fill(root, parts);
      answer.shows = null;
      root.answer = answer;
      if (key) {
        // The quick answer comes first: the server answers one question at a time.
        askWaits(key, waits).finally(() => {
          if (!evaluation && page.live?.explain && shown === key) {
            ask(key, answer);
          }
        });
      }
    }
    if (evaluation) {
      showEvaluation(root.answer, evaluation, settings);
    } else if (!page.live?.explain && key) {
      fill(root.answer, el('p', { class: 'note' }, 'The results of the plugins for this pod are not in this page. ', el('code', null, `moorage explain ${key} --report FILE.html CLUSTER`), ' writes a page that has it.'));
    }
  }

  async function askWaits(key, waits) {
    if (!page.live?.attempts) {
      return;
    }
    try {
      const told = await fetchJson(`${page.live.attempts}?${new URLSearchParams({ pod: key })}`);
      fill(waits, [waitPanel(cluster, told), attemptPanels(cluster, told)]);
    } catch (failure) {
      fill(waits, el('p', { class: 'failure', role: 'alert' }, `What the scheduler knows of the pod cannot be told: ${failure.message}`));
    }
  }

  async function ask(key, answer) {
    fill(answer, el('p', { class: 'note', role: 'status' }, 'Evaluating the pod on each node …'));
    try {
      const tree = await fetchJson(`${page.live.explain}?${new URLSearchParams({ pod: key })}`);
      page.evaluations.push(tree);
      if (shown === key) {
        showRoute();
      }
    } catch (failure) {
      fill(answer, el('p', { class: 'failure', role: 'alert' }, `The pod cannot be evaluated: ${failure.message}`));
    }
  }

  function showEvaluation(answer, evaluation, settings) {
    if (answer.shows === evaluation) {
      answer.refresh(settings);
      return;
    }
    answer.shows = evaluation;
    if (evaluation.error) {
      answer.refresh = () => {};
      fill(answer, panel('Scheduling decision', el('p', null, stateMark('error'), evaluation.error)));
      return;
    }
    const matrix = matrixPanel(cluster, evaluation);
    answer.refresh = (now) => matrix.update(now);
    fill(answer, [verdictPanel(evaluation), changesPanel(evaluation), evaluation.scores.length > 0 ? scoresPanel(cluster, evaluation) : null, matrix.root]);
    matrix.update(settings);
  }

  return { root, update };
}

function podFacts(cluster, p) {
  const node = cluster.podNode(p);
  const facts = [
    ['State', stateMark(cluster.state(p))],
    ['Node', node < 0 ? null : nodeLink(cluster.nodeName(node))],
    ['Owner', cluster.owner(p) ? el('a', { href: link('pods', { q: `${cluster.namespace(p)}/ ${cluster.owner(p)}` }) }, cluster.owner(p)) : null],
    ['In the queue', cluster.forSeconds(p) < 0 ? null : `for ${duration(cluster.forSeconds(p))}, tried ${times(cluster.attempts(p))}`],
    ['Requests', requestText(cluster, p)],
    ['Priority', count(cluster.priority(p))],
    [node < 0 ? 'Reason' : 'Message', reasonText(cluster, p) || null],
  ].filter(([, value]) => value !== null);
  return el(
    'section',
    { class: 'panel', 'aria-label': `Pod ${cluster.keys[p]}` },
    el('h2', null, cluster.keys[p]),
    el('dl', { class: 'wide' }, facts.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
  );
}

function verdictPanel(evaluation) {
  const rejected = new Set(evaluation.rejections.flatMap((entry) => entry.nodes)).size;
  const fits = evaluation.scores.length;
  const lines = [
    evaluation.fits
      ? `It fits on ${counted(fits, 'node')} of ${count(evaluation.nodeCount)}; best ${evaluation.best.length === 1 ? 'is' : 'are'} ${evaluation.best.slice(0, 5).join(', ')}${evaluation.best.length > 5 ? ` and ${evaluation.best.length - 5} more` : ''}.`
      : `It fits on none of ${counted(evaluation.nodeCount, 'node')}; plugins reject ${count(rejected)}.`,
    { turn: `Asked at its turn, when ${counted(evaluation.podsBefore, 'other pod')} had been tried.`, end: 'Asked at the end, since it is never tried.', now: 'Asked about the cluster as it is.' }[evaluation.moment],
    ...(evaluation.notes ?? []),
    evaluation.preFilter ? `${evaluation.preFilter.plugin} rejects it before any node is looked at: ${evaluation.preFilter.message}` : null,
    evaluation.preFilterNodes ? `PreFilter left only ${counted(evaluation.preFilterNodes.length, 'node')} to look at.` : null,
    evaluation.preemption ? `Preemption would make room on ${evaluation.preemption.node}, where ${evaluation.preemption.victims.join(', ') || 'no pod'} would have to leave.` : evaluation.postFilter ? `PostFilter: ${evaluation.postFilter.plugin}: ${evaluation.postFilter.message}` : null,
  ].filter(Boolean);
  return panel('Scheduling decision', lines.map((line) => el('p', null, line)));
}

/** Bars of what each plugin's score adds to the total of each node. */
function scoresPanel(cluster, evaluation) {
  const plugins = [...new Set(evaluation.scores.flatMap((entry) => Object.keys(entry.plugins)))].sort();
  const most = Math.max(1, ...evaluation.scores.map((entry) => entry.total));
  const mostOf = Object.fromEntries(plugins.map((plugin) => [plugin, Math.max(1, ...evaluation.scores.map((entry) => entry.plugins[plugin] ?? 0))]));
  // Equal scores of all nodes do not decide.
  const isSame = (plugin) => evaluation.scores.every((entry) => entry.plugins[plugin] === evaluation.scores[0].plugins[plugin]);
  const telling = plugins.filter((plugin) => evaluation.scores.length === 1 || !isSame(plugin));
  const same = plugins.filter((plugin) => !telling.includes(plugin));
  const columns = [
    {
      key: 'node',
      title: 'Node',
      width: '240px',
      cell: (entry) => tagged(cluster.node(entry.node) >= 0 ? nodeLink(entry.node) : entry.node, evaluation.best.includes(entry.node) ? 'best' : ''),
      value: (entry) => entry.node,
    },
    { key: 'total', title: 'Total', end: true, cell: (entry) => scoreCell(entry.total, most), value: (entry) => entry.total },
    ...telling.map((plugin) => ({
      key: plugin,
      title: plugin,
      end: true,
      cell: (entry) => (entry.plugins[plugin] === undefined ? '-' : scoreCell(entry.plugins[plugin], mostOf[plugin])),
      value: (entry) => entry.plugins[plugin] ?? -1,
    })),
  ];
  let sorted = '-total';
  const table = dataTable({
    label: 'Weighted scores of the nodes on which it fits',
    columns,
    sort: (key) => {
      sorted = nextSort(sorted, key, columns);
      table.show(sortedRows(evaluation.scores, columns, sorted), sorted);
    },
  });
  table.show(sortedRows(evaluation.scores, columns, sorted), sorted);
  return panel('Weighted scores', table.root, same.length > 0 ? el('p', { class: 'note' }, `The same for all: ${same.map((plugin) => `${plugin} ${evaluation.scores[0].plugins[plugin]}`).join(', ')}.`) : null);
}

function scoreCell(score, most) {
  return el('span', { class: 'share wide' }, bar(Math.min(1, Math.max(0, score) / most), `${score} of at most ${most}`), el('span', { class: 'number' }, count(score)));
}

/** Nodes and the plugins that reject them: equal answers first, then node by node. */
function matrixPanel(cluster, evaluation) {
  const plugins = [...new Set(evaluation.rejections.map((entry) => entry.plugin))].sort();
  const answers = new Map();
  for (const entry of evaluation.rejections) {
    for (const node of entry.nodes) {
      const of = answers.get(node) ?? answers.set(node, new Map()).get(node);
      of.set(entry.plugin, [...(of.get(entry.plugin) ?? []), entry.message]);
    }
  }
  const names = cluster.nodeCount > 0 ? Array.from({ length: cluster.nodeCount }, (_, i) => cluster.nodeName(i)) : [...answers.keys(), ...evaluation.scores.map((entry) => entry.node)];
  const fits = new Set(evaluation.scores.map((entry) => entry.node));
  const rows = names.map((node) => ({ node, answers: answers.get(node) ?? new Map(), fits: fits.has(node) }));
  const patternOf = (row) => (row.answers.size === 0 ? (row.fits ? 'fits' : 'left out') : plugins.map((plugin) => (row.answers.get(plugin) ?? []).join('; ')).join('\n'));
  const patterns = [...groupsOf(rows, patternOf)].map(([key, of]) => ({ key, name: rowName({ key }), rows: of, first: of[0] })).sort((a, b) => b.rows.length - a.rows.length);
  const pluginColumns = plugins.map((plugin) => ({
    key: plugin,
    title: plugin,
    cell: (row) => answerCell(row, plugin),
    value: (row) => (row.answers.get(plugin) ?? []).join('; '),
  }));
  const search = textField('Search nodes of the matrix', 'Search nodes and reasons', (text) => set({ mq: text }, true));
  const summary = el('p', { class: 'summary', role: 'status' });
  const patternTable = dataTable({
    label: 'Equal answers of the plugins, with how many nodes have them',
    columns: [
      { key: 'nodes', title: 'Nodes', width: '90px', end: true, cell: (pattern) => count(pattern.rows.length), value: (pattern) => pattern.rows.length },
      { key: 'verdict', title: 'Verdict', width: '110px', cell: (pattern) => verdictCell(pattern.first) },
      ...pluginColumns.map((column) => ({ ...column, cell: (pattern) => column.cell(pattern.first) })),
    ],
    open: (pattern) => set({ pattern: route().settings.pattern === pattern.name ? '' : pattern.name }),
  });
  const columns = [
    { key: 'node', title: 'Node', width: '220px', cell: (row) => (cluster.node(row.node) >= 0 ? nodeLink(row.node) : row.node), value: (row) => row.node },
    { key: 'verdict', title: 'Verdict', width: '110px', cell: verdictCell, value: (row) => (row.fits ? 'a' : 'b') },
    ...pluginColumns,
  ];
  const table = dataTable({ label: 'Each node and what the plugins answer', columns, sort: (key) => set({ msort: nextSort(route().settings.msort ?? '', key, columns) }) });
  const root = panel(
    'Nodes and plugins',
    el('p', { class: 'note' }, 'Equal answers are one row; opening one shows its nodes below.'),
    patternTable.root,
    el('div', { class: 'bar-of-controls' }, search.root, summary),
    table.root,
  );
  let shown = null;
  return {
    root,
    update: (settings) => {
      search.set(settings.mq ?? '');
      const now = JSON.stringify([settings.mq, settings.pattern, settings.msort]);
      if (now === shown) {
        return;
      }
      shown = now;
      const pattern = patterns.find((one) => one.name === settings.pattern);
      const words = (settings.mq ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      const texts = (row) => `${row.node} ${[...row.answers].flat(2).join(' ')}`.toLowerCase();
      const list = (pattern ? pattern.rows : rows).filter((row) => words.length === 0 || words.every((word) => texts(row).includes(word)));
      patternTable.show(patterns, '', pattern ?? null);
      summary.textContent = `${count(list.length)} of ${counted(rows.length, 'node')}`;
      table.show(sortedRows(list, columns, settings.msort ?? ''), settings.msort ?? '');
    },
  };
}

function answerCell(row, plugin) {
  const messages = row.answers.get(plugin);
  if (!messages) {
    return el('span', { class: 'calm' }, row.answers.size === 0 && !row.fits ? '·' : '✓');
  }
  return el('span', { class: 'bad', title: messages.join('; ') }, el('span', { 'aria-hidden': 'true' }, '✕ '), messages.join('; '));
}

function verdictCell(row) {
  return row.fits ? el('span', { class: 'state good' }, el('span', { 'aria-hidden': 'true', class: 'mark' }, '●'), 'fits') : row.answers.size > 0 ? el('span', { class: 'state bad' }, el('span', { 'aria-hidden': 'true', class: 'mark' }, '✕'), 'rejected') : el('span', { class: 'state calm' }, el('span', { 'aria-hidden': 'true', class: 'mark' }, '·'), 'left out');
}

function changesPanel(evaluation) {
  if (!evaluation.changes || evaluation.changes.length === 0) {
    return null;
  }
  return panel(
    'Any of these would make it fit',
    el(
      'ul',
      { class: 'plain' },
      evaluation.changes.map((change) => el('li', null, el('strong', null, changeText(change)), ` (${counted(change.nodes.length, 'node')}: ${change.nodes.slice(0, 5).join(', ')}${change.nodes.length > 5 ? ` and ${change.nodes.length - 5} more` : ''})`)),
    ),
  );
}

function changeText(change) {
  const shown = change.details.length <= 6 ? change.details.join(', ') : `${change.details.slice(0, 5).join(', ')} and ${change.details.length - 5} more`;
  return CHANGES[change.change]?.(shown) ?? `${change.change} ${shown}`;
}
