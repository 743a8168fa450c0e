// The cluster before next to the cluster after.

function compareView(page) {
  const before = page.before;
  const after = page.cluster;
  const moves = movesBetween(before, after, page.moves);
  const disrupted = disruptedNodes(page.answers);
  const changed = nodeChanges(before, after, disrupted);
  const kinds = [...new Set(moves.map((move) => move.kind))];
  const search = textField('Search what changed', 'Search pods, owners, nodes', (text) => set({ q: text }, true));
  const kind = choice('Change', [['', 'all that changed'], ...kinds.map((name) => [name, name])], (value) => set({ kind: value }));
  const by = fillChoice(after, shownResources(after));
  const show = choice('Nodes', [['', 'changed ones stand out'], ['changed', 'only changed ones'], ['all', 'all alike']], (value) => set({ show: value }));
  const summary = el('p', { class: 'summary', role: 'status' });
  const changedNames = new Set(changed.map((row) => row.name));
  const stats = el('div', { class: 'stats' }, kinds.map((name) => stat(name, count(moves.filter((move) => move.kind === name).length), 'pods', link('compare', { kind: name }))), stat('nodes changed', count(changed.length), `of ${count(Math.max(before.nodeCount, after.nodeCount))}`, link('compare')));
  const legend = el('p', { class: 'note' });
  const fields = [before, after].map((cluster, side) => {
    const resources = shownResources(cluster);
    return tileField({
      label: `Nodes ${side === 0 ? 'before' : 'after'}; arrow keys move, Enter selects`,
      describe: (i) => describeNode(cluster, resources, i, disrupted.get(cluster.nodeName(i))),
      choose: (i) => set({ q: cluster.nodeName(i) }),
    });
  });
  const moveColumns = [
    { key: 'pod', title: 'Pod', cell: (move) => (after.pod(move.pod) >= 0 ? podLink(move.pod) : move.pod), value: (move) => move.pod },
    { key: 'owner', title: 'Owner', width: '15%', cell: (move) => move.owner || '-', value: (move) => move.owner },
    { key: 'kind', title: 'Change', width: '150px', cell: (move) => move.kind, value: (move) => move.kind },
    { key: 'from', title: 'Before', width: '17%', cell: (move) => move.from || '-', value: (move) => move.from },
    { key: 'to', title: 'After', width: '17%', cell: (move) => (move.to ? nodeLink(move.to) : '-'), value: (move) => move.to },
    { key: 'message', title: 'Message', cell: (move) => move.message, value: (move) => move.message },
  ];
  const table = dataTable({ label: 'Pods that changed', columns: moveColumns, sort: (key) => set({ sort: nextSort(route().settings.sort ?? '', key, moveColumns) }) });
  const nodeTable = dataTable({ label: 'Nodes that changed', columns: changeColumns(before, after, disrupted), open: (row) => set({ q: row.name }) });
  nodeTable.show(changed);
  const root = el(
    'div',
    null,
    stats,
    el('div', { class: 'bar-of-controls' }, search.root, kind.root, by.root, show.root, summary),
    el('div', { class: 'columns' }, panel('Before', fields[0].root), panel('After', fields[1].root)),
    legend,
    panel('Pods', table.root),
    panel('Nodes', nodeTable.root),
  );
  let shown = null;
  let laidOut = null;

  function update(settings) {
    search.set(settings.q ?? '');
    kind.set(settings.kind ?? '');
    by.set(settings.by ?? FIRST_FILL);
    show.set(settings.show ?? '');
    const now = JSON.stringify([settings.q, settings.kind, settings.sort]);
    if (now !== shown) {
      shown = now;
      const words = (settings.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      const list = moves.filter((move) => (!settings.kind || move.kind === settings.kind) && words.every((word) => textOf(move).includes(word)));
      summary.textContent = `${count(list.length)} of ${counted(moves.length, 'pod')} that changed`;
      table.show(sortedRows(list, moveColumns, settings.sort ?? ''), settings.sort ?? '');
    }
    const layout = JSON.stringify([settings.by, settings.show, currentTheme()]);
    if (layout !== laidOut) {
      laidOut = layout;
      fill(legend, tileLegend(settings.by, [...new Set(disrupted.values())]));
      [before, after].forEach((cluster, side) => {
        const shares = sharesBy(cluster, settings.by);
        // In one order on both sides, so that a node is found at its place.
        const nodes = Array.from({ length: cluster.nodeCount }, (_, i) => i).filter((i) => settings.show !== 'changed' || changedNames.has(cluster.nodeName(i)));
        fields[side].show(tileGroups(cluster, nodes, { order: 'name' }, shares), { share: (i) => shares[i], isCrossed: (i) => cluster.nodeState(i) !== '', isDisrupted: (i) => disrupted.has(cluster.nodeName(i)), isDim: (i) => settings.show !== 'all' && !changedNames.has(cluster.nodeName(i)), columns: 2 });
      });
    }
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

/** Pods that are elsewhere than before, or have no node any more, or one now; as the command reports them, or by their names. */
function movesBetween(before, after, told) {
  const moves = [];
  const add = (pod, owner, kind, from, to, message) => moves.push({ pod, owner, kind, from, to, message });
  if (told.length > 0) {
    for (const move of told) {
      add(move.pod, move.owner ?? '', move.what, move.from ?? '', move.to ?? '', move.message ?? '');
    }
    return moves;
  }
  for (let p = 0; p < after.podCount; p++) {
    const was = before.pod(after.keys[p]);
    const from = was >= 0 && before.podNode(was) >= 0 ? before.nodeName(before.podNode(was)) : '';
    const to = after.podNode(p) >= 0 ? after.nodeName(after.podNode(p)) : '';
    if (from !== to) {
      add(after.keys[p], after.owner(p), from && to ? 'moved' : to ? 'placed' : after.state(p) === 'preempted' ? 'preempted' : 'lost its node', from, to, after.message(p));
    }
  }
  for (let p = 0; p < before.podCount; p++) {
    if (after.pod(before.keys[p]) < 0) {
      add(before.keys[p], before.owner(p), 'gone', before.podNode(p) >= 0 ? before.nodeName(before.podNode(p)) : '', '', '');
    }
  }
  return moves;
}

// Made at the first search.
function textOf(move) {
  return (move.text ??= [move.pod, move.owner, move.kind, move.from, move.to, move.message].join(' ').toLowerCase());
}

function nodeChanges(before, after, disrupted) {
  const rows = [];
  for (let i = 0; i < after.nodeCount; i++) {
    const name = after.nodeName(i);
    const was = before.node(name);
    const isChanged = was < 0 || disrupted.has(name) || after.resources.some((resource, r) => after.requested[r][i] !== before.requested[before.resources.indexOf(resource)]?.[was]);
    if (isChanged) {
      rows.push({ name, was, is: i });
    }
  }
  for (let i = 0; i < before.nodeCount; i++) {
    if (after.node(before.nodeName(i)) < 0) {
      rows.push({ name: before.nodeName(i), was: i, is: -1 });
    }
  }
  return rows;
}

/** The nodes that are drained or lost in answers, with that word. */
function disruptedNodes(answers) {
  const disruptions = answers.filter(({ tree }) => tree.nodes && tree.pods && tree.summary);
  return new Map(disruptions.flatMap(({ tree }) => tree.nodes.map((name) => [name, tree.rounds === undefined ? 'lost' : 'drained'])));
}

function changeColumns(before, after, disrupted) {
  const slots = after.resources.length - 1;
  return [
    { key: 'name', title: 'Node', cell: (row) => tagged(row.is >= 0 ? nodeLink(row.name) : row.name, disrupted.get(row.name) ?? (row.was < 0 ? 'new' : row.is < 0 ? 'gone' : '')) },
    { key: 'pods', title: 'Pods', width: '130px', end: true, cell: (row) => arrow(row.was < 0 ? '-' : count(before.requested[before.resources.length - 1][row.was]), row.is < 0 ? '-' : count(after.requested[slots][row.is])) },
    ...shownResources(after)
      .slice(0, 3)
      .map((r) => ({
        key: after.resources[r],
        title: resourceTitle(after, r),
        width: '170px',
        end: true,
        cell: (row) => {
          const was = before.resources.indexOf(after.resources[r]);
          return arrow(row.was < 0 || was < 0 ? '-' : percent(before.shares[was][row.was]), row.is < 0 ? '-' : percent(after.shares[r][row.is]));
        },
      })),
  ];
}

function arrow(from, to) {
  return from === to ? to : `${from} → ${to}`;
}
