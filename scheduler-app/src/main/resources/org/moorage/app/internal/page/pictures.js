// The pictures of an answer, by what its fields are.

/** The elements of the pictures, and the plots among them, which are drawn again in another theme. */
function picturesOf(page, tree) {
  const plots = [];
  const add = (title, made) => {
    plots.push(made);
    return panel(title, made.root);
  };
  const elements = [
    ...(tree.pods && tree.summary ? disruptionPictures(page, tree) : []),
    ...(tree.types && tree.maxNodes !== undefined ? scaleUpPictures(tree, add) : []),
    ...(tree.together ? scaleDownPictures(page.cluster, tree) : []),
    ...(tree.manifests ? fitPictures(page.cluster, tree) : []),
    ...(tree.sides ? comparePictures(page.cluster, tree, add) : []),
  ];
  return { elements, plots };
}

/** Names with how often each occurs, the most frequent first. */
function frequencies(names) {
  const counts = [...groupsOf(names, (name) => name)].map(([name, all]) => ({ name, count: all.length }));
  return sortedBy(sortedBy(counts, (entry) => nameKey(entry.name)), (entry) => entry.count, true);
}

function podsByNode(cluster, title, value, names) {
  const rows = frequencies(names).map(({ name, count: pods }) => ({ name: cluster.node(name) >= 0 ? nodeLink(name) : name, values: [pods], note: cluster.node(name) >= 0 ? cluster.zone(cluster.node(name)) : '' }));
  return rows.length > 0 ? barChart({ title, thing: 'Node', value, rows, noteTitle: rows.some((row) => row.note) ? 'Zone' : null }) : null;
}

/** Of drain and outage: the nodes that get the pods, and the zones. */
function disruptionPictures(page, tree) {
  return [
    podsByNode(page.cluster, 'Where the rescheduled pods are', 'Rescheduled pods', tree.pods.map((pod) => pod.newNode).filter(Boolean)),
    ...(page.before ? zonePictures(page.before, page.cluster) : []),
  ];
}

/** For cpu and memory, how much is requested in each zone before and after. */
function zonePictures(before, after) {
  const zones = nodesBy(before, before.zone).map(([zone, nodes]) => ({ zone, sides: [[before, nodes], [after, nodesBy(after, after.zone).find(([name]) => name === zone)?.[1] ?? []]] }));
  return shownResources(before)
    .slice(0, 2)
    .map((r) =>
      barChart({
        title: `Zones before and after: ${before.resources[r]}`,
        thing: 'Zone',
        value: `${before.resources[r]} requested, % of allocatable`,
        series: ['before', 'after'],
        noteTitle: 'Before → after',
        rows: zones.map(({ zone, sides }) => {
          const totals = sides.map(([cluster, nodes]) => total(cluster, r, nodes));
          return {
            name: zone || 'no zone',
            values: totals.map((of) => Math.min(1, of.share)),
            texts: totals.map((of) => (of.allocatable > 0 ? percent(of.share) : 'no nodes')),
            most: 1,
            note: `nodes ${arrow(...sides.map(([, nodes]) => count(nodes.length)))}, pods ${arrow(...sides.map(([cluster, nodes]) => count(nodes.reduce((sum, i) => sum + cluster.podsOn(i).length, 0))))}`,
          };
        }),
      }),
    );
}

/** Of scale-up: how many pods are left with how many nodes, and what the nodes cost. */
function scaleUpPictures(tree, add) {
  const types = tree.types.slice(0, SERIES.length);
  if (types.length === 0) {
    return [];
  }
  const numbers = sortedBy(new Set(types.flatMap((type) => type.tried.map((attempt) => attempt.nodes))), (number) => number);
  const pendingOf = types.map((type) => new Map(type.tried.map((attempt) => [attempt.nodes, attempt.pending])));
  const priced = tree.types.filter((type) => type.nodes > 0 && type.costPerHour !== undefined);
  return [
    add(
      'Pending pods by number of new nodes',
      plot({
        label: types.map((type) => `${type.type}: ${type.tried.map((attempt) => `${counted(attempt.pending, 'pod')} pending with ${counted(attempt.nodes, 'node')}`).join(', ')}`).join('; '),
        x: { title: 'new nodes', values: numbers, end: Math.max(1, ...numbers) },
        y: { title: 'pending pods' },
        series: types.map((type, at) => ({ name: type.type, kind: 'line', values: numbers.map((number) => pendingOf[at].get(number) ?? null) })),
        valuesAt: (index) => `${counted(numbers[index], 'new node')}: ${types.flatMap((type, at) => (pendingOf[at].has(numbers[index]) ? [`${type.type} ${count(pendingOf[at].get(numbers[index]))} pending`] : [])).join(', ')}`,
      }),
    ),
    priced.length > 0
      ? barChart({
          title: 'Price of the new nodes',
          thing: 'Type',
          value: 'Cost per hour',
          rows: priced.map((type) => ({ name: type.type, values: [type.costPerHour], texts: [money(type.costPerHour)], note: `${counted(type.nodes, 'node')}, ${count(type.pending)} pending` })),
          noteTitle: 'New nodes, pods left',
        })
      : null,
  ];
}

/** Of scale-down: the nodes that can be removed together, by type, and what they cost. */
function scaleDownPictures(cluster, tree) {
  const typeOf = (node) => (cluster.node(node) >= 0 && cluster.type(cluster.node(node))) || 'no instance type';
  const types = [...groupsOf(tree.nodes, (entry) => typeOf(entry.node))].map(([name, nodes]) => {
    const removed = nodes.filter((entry) => entry.together);
    return { name, nodes: nodes.length, removable: removed.length, saved: removed.reduce((sum, entry) => sum + (entry.costPerHour ?? 0), 0) };
  });
  const some = types.filter((type) => type.removable > 0);
  const bySaved = sortedBy(some.filter((type) => type.saved > 0), (type) => type.saved, true);
  return [
    some.length > 0
      ? barChart({
          title: 'Nodes that can be removed together, by instance type',
          thing: 'Instance type',
          value: 'Removable nodes',
          rows: sortedBy(some, (type) => type.removable, true).map((type) => ({ name: type.name, values: [type.removable], note: `of ${count(type.nodes)}` })),
          noteTitle: 'Nodes',
        })
      : null,
    bySaved.length > 0
      ? barChart({ title: 'Savings by instance type', thing: 'Instance type', value: 'Cost saved per hour', rows: bySaved.map((type) => ({ name: type.name, values: [type.saved], texts: [money(type.saved)], note: counted(type.removable, 'node') })), noteTitle: 'Removed' })
      : null,
  ];
}

/** Of fit: the pods by node and zone. */
function fitPictures(cluster, tree) {
  const nodes = tree.manifests.flatMap((manifest) => manifest.pods.map((pod) => pod.node).filter(Boolean));
  const more = tree.manifests.flatMap((manifest) => (manifest.more?.nodes ?? []).flatMap(({ node, pods }) => new Array(pods).fill(node)));
  const zones = nodes.map((node) => (cluster.node(node) >= 0 ? cluster.zone(cluster.node(node)) : ''));
  return [
    podsByNode(cluster, 'Pods by node', 'Scheduled pods', nodes),
    zones.some(Boolean) ? barChart({ title: 'Pods by zone', thing: 'Zone', value: 'Scheduled pods', rows: frequencies(zones).map(({ name, count: pods }) => ({ name: name || 'no zone', values: [pods] })) }) : null,
    podsByNode(cluster, 'More replicas by node', 'Further replicas that fit', more),
  ];
}

const FIGURES = [
  ['unplaced', 'pending pods'],
  ['leftTheirNode', 'pods that left their node'],
  ['podsOnNodes', 'pods on nodes'],
  ['emptyNodes', 'empty nodes'],
];

/** Of compare: the figures that differ, and the nodes by utilization with each configuration. */
function comparePictures(cluster, tree, add) {
  const names = tree.sides.map((side) => side.name);
  const rows = FIGURES.map(([field, name]) => ({ name, values: tree.sides.map((side) => side[field]) }));
  for (const resource of Object.keys(tree.sides[0].resources)) {
    const shown = resource === 'milliCpu' ? 'cpu' : resource;
    for (const [field, words] of [['imbalance', 'imbalance, percentage points'], ['fragmentation', 'unusable free room, %']]) {
      const values = tree.sides.map((side) => side.resources[resource]?.[field] ?? 0);
      rows.push({ name: `${shown}: ${words}`, values, texts: values.map((value) => TENTHS.format(value)) });
    }
  }
  const changed = rows.filter((row) => (row.texts ?? row.values).some((text, at, all) => text !== all[0]));
  const sides = tree.sides.map((side) => sharesWith(cluster, side));
  return [
    changed.length > 0 ? barChart({ title: 'Figures that differ', thing: 'Figure', value: 'Value; a full bar is the greater one', series: names, rows: changed.map((row) => ({ ...row, most: Math.max(...row.values) })) }) : null,
    ...(sides.every(Boolean)
      ? shownResources(cluster)
          .slice(0, 3)
          .map((r) => add(`Nodes by utilization: ${cluster.resources[r]}`, utilizationHistogram(cluster.resources[r], sides.map((shares, at) => ({ name: names[at], shares: shares[r], allocatable: cluster.allocatable[r] })))))
      : []),
  ];
}

/** The shares of resources that are requested of each node with a configuration; null if the page does not know the pods that move. */
function sharesWith(cluster, side) {
  if (!side.pods || side.pods.some(({ pod }) => cluster.pod(pod) < 0)) {
    return null;
  }
  const requested = cluster.requested.map((of) => of.slice());
  const put = (p, node, sign) => {
    if (node >= 0) {
      requested.forEach((of, r) => (of[node] += sign * cluster.request(p, r)));
    }
  };
  for (const { pod, node } of side.pods) {
    const p = cluster.pod(pod);
    put(p, cluster.podNode(p), -1);
    put(p, cluster.node(node), 1);
  }
  for (const key of side.lost ?? []) {
    const p = cluster.pod(key);
    if (p >= 0) {
      put(p, cluster.podNode(p), -1);
    }
  }
  return requested.map((of, r) => of.map((value, i) => share(value, cluster.allocatable[r][i])));
}
