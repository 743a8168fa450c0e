// The cluster that the page has, in the form in which views ask for it.

const ZEROS = '0'.repeat(16);

/** A text by which names are in order, where numbers in them count as numbers. A collator that knows numbers takes too long for many. */
function nameKey(name) {
  let key = '';
  let start = 0;
  for (let at = 0; at < name.length; at++) {
    let end = at;
    while (end < name.length && name.charCodeAt(end) >= 48 && name.charCodeAt(end) <= 57) {
      end++;
    }
    if (end > at) {
      key += name.slice(start, at) + ZEROS.slice(end - at);
      start = at;
      at = end;
    }
  }
  return key + name.slice(start);
}

/** Those things in the order of a number or text, which is found once for each. */
function sortedBy(things, key, isDown) {
  const list = Array.from(things);
  const keys = list.map((thing) => key(thing));
  const less = isDown ? 1 : -1;
  const order = Uint32Array.from(keys, (_, at) => at);
  order.sort((a, b) => (keys[a] < keys[b] ? less : keys[a] > keys[b] ? -less : 0));
  return Array.from(order, (at) => list[at]);
}

/** Reads the columns of a cluster and adds up for each node what its pods request; reasons are those of pods without a message. */
function clusterOf(columns, reasons = NO_REASONS) {
  const { names, amounts, nodes, pods } = columns;
  const resources = [...columns.resources, 'pods'];
  const slots = columns.resources.length;
  const nodeCount = nodes.name.length;
  const podCount = pods.name.length;
  const requested = resources.map(() => new Float64Array(nodeCount));
  const allocatable = resources.map(() => new Float64Array(nodeCount));
  for (let i = 0; i < nodeCount; i++) {
    const allowed = amounts[nodes.allocatable[i]];
    for (let r = 0; r < slots; r++) {
      allocatable[r][i] = allowed[r];
    }
    allocatable[slots][i] = nodes.maxPods[i];
  }
  const starts = new Int32Array(nodeCount + 1);
  for (let p = 0; p < podCount; p++) {
    const node = pods.node[p];
    if (node < 0) {
      continue;
    }
    starts[node + 1]++;
    const wanted = amounts[pods.requests[p]];
    for (let r = 0; r < slots; r++) {
      requested[r][node] += wanted[r];
    }
    requested[slots][node]++;
  }
  for (let i = 0; i < nodeCount; i++) {
    starts[i + 1] += starts[i];
  }
  const next = starts.slice();
  const onNodes = new Int32Array(starts[nodeCount]);
  for (let p = 0; p < podCount; p++) {
    if (pods.node[p] >= 0) {
      onNodes[next[pods.node[p]]++] = p;
    }
  }
  const shares = resources.map((_, r) => Float64Array.from(requested[r], (value, i) => share(value, allocatable[r][i])));
  const fullest = new Float64Array(nodeCount);
  const fullestResource = new Uint16Array(nodeCount);
  for (let r = 0; r < resources.length; r++) {
    for (let i = 0; i < nodeCount; i++) {
      if (shares[r][i] > fullest[i]) {
        fullest[i] = shares[r][i];
        fullestResource[i] = r;
      }
    }
  }
  const nodeIndex = new Map(nodes.name.map((name, i) => [name, i]));
  const keys = pods.name.map((name, p) => `${names[pods.namespace[p]]}/${name}`);
  let podIndex = null;
  const searched = new Map();
  return {
    resources,
    nodeCount,
    podCount,
    requested,
    allocatable,
    shares,
    fullest,
    fullestResource,
    keys,
    node: (name) => nodeIndex.get(name) ?? -1,
    nodeName: (i) => nodes.name[i],
    zone: (i) => names[nodes.zone[i]],
    type: (i) => names[nodes.type[i]],
    nodeState: (i) => names[nodes.state[i]],
    taints: (i) => names[nodes.taints[i]],
    pod: (key) => (podIndex ??= new Map(keys.map((of, p) => [of, p]))).get(key) ?? -1,
    podName: (p) => pods.name[p],
    namespace: (p) => names[pods.namespace[p]],
    owner: (p) => names[pods.owner[p]],
    priority: (p) => pods.priority[p],
    podNode: (p) => pods.node[p],
    state: (p) => (names[pods.state[p]] === 'pending' && reasons.of(keys[p])?.isSchedulable === false ? 'unschedulable' : names[pods.state[p]]),
    message: (p) => names[pods.message[p]] || (reasons.of(keys[p])?.text ?? ''),
    // The limits of the message, such as "with a.yaml"; empty if nothing does.
    messageNote: (p) => (names[pods.message[p]] ? '' : (reasons.of(keys[p])?.note ?? '')),
    otherwise: reasons.otherwise,
    request: (p, r) => (r === slots ? 1 : amounts[pods.requests[p]][r]),
    podsOn: (i) => onNodes.subarray(starts[i], starts[i + 1]),
    // Whether there is a scheduling queue, and for how many seconds a pod has been there, and how often it was tried; -1 if it is not there.
    hasQueue: pods.forSeconds !== undefined,
    forSeconds: (p) => pods.forSeconds?.[p] ?? -1,
    attempts: (p) => pods.attempts?.[p] ?? -1,
    // Whether it is to get a node and has none.
    waits: (p) => pods.node[p] < 0 && !GONE.has(names[pods.state[p]]),
    searched,
  };
}

function share(part, whole) {
  return whole > 0 ? part / whole : part > 0 ? Infinity : 0;
}

/** Its owner, or itself if it has none: "team-a/web". */
function ownerOf(cluster, p) {
  return cluster.owner(p) ? `${cluster.namespace(p)}/${cluster.owner(p).replace(/^\S+ /, '')}` : cluster.keys[p];
}

/** The requests of a pod, as text: "2 cpu, 16 Gi memory". */
function requestText(cluster, p) {
  const texts = [];
  for (let r = 0; r < cluster.resources.length - 1; r++) {
    if (cluster.request(p, r) > 0) {
      texts.push(amountWithName(cluster.resources[r], cluster.request(p, r)));
    }
  }
  return texts.length === 0 ? 'nothing' : texts.join(', ');
}

/** The resources of which any node has something; extended ones last. */
function shownResources(cluster) {
  return cluster.resources
    .map((name, r) => r)
    .filter((r) => cluster.resources[r] !== 'pods' && cluster.allocatable[r].some((value) => value > 0) && (r < 2 || cluster.requested[r].some((value) => value > 0)));
}

/** A resource's name for the head of a column: without its domain, if no other resource is called the same. */
function resourceTitle(cluster, r) {
  const short = shortName(cluster.resources[r]);
  return cluster.resources.filter((name) => shortName(name) === short).length > 1 ? cluster.resources[r] : short;
}

/** The sums of nodes: requested and allocatable of one resource. */
function total(cluster, r, nodes) {
  let requested = 0;
  let allocatable = 0;
  if (nodes) {
    for (const i of nodes) {
      requested += cluster.requested[r][i];
      allocatable += cluster.allocatable[r][i];
    }
  } else {
    for (let i = 0; i < cluster.nodeCount; i++) {
      requested += cluster.requested[r][i];
      allocatable += cluster.allocatable[r][i];
    }
  }
  return { requested, allocatable, share: share(requested, allocatable) };
}

/** Nodes by what a function says of each, in the order of that. */
function nodesBy(cluster, key) {
  const groups = new Map();
  for (let i = 0; i < cluster.nodeCount; i++) {
    const of = key(i);
    const group = groups.get(of);
    if (group) {
      group.push(i);
    } else {
      groups.set(of, [i]);
    }
  }
  return sortedBy(groups, ([name]) => nameKey(name));
}

/** The texts by which nodes or pods are found, in lower case; made at the first search. */
function searchTexts(cluster, what) {
  let texts = cluster.searched.get(what);
  if (!texts) {
    texts =
      what === 'nodes'
        ? Array.from({ length: cluster.nodeCount }, (_, i) =>
            [cluster.nodeName(i), cluster.zone(i), cluster.type(i), cluster.nodeState(i), cluster.taints(i)].join(' ').toLowerCase(),
          )
        : Array.from({ length: cluster.podCount }, (_, p) =>
            [cluster.keys[p], cluster.owner(p), cluster.podNode(p) < 0 ? '' : cluster.nodeName(cluster.podNode(p)), stateWords(cluster.state(p))]
              .join(' ')
              .toLowerCase(),
          );
    cluster.searched.set(what, texts);
  }
  return texts;
}

/** Those in which each word of a search is found. */
function found(texts, search, also) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const result = [];
  for (let i = 0; i < texts.length; i++) {
    if ((!also || also(i)) && words.every((word) => texts[i].includes(word))) {
      result.push(i);
    }
  }
  return result;
}

// A reason is the same for all nodes that it names.
function withoutNodes(cluster, text) {
  return text.replace(/[^\s,;:]+/g, (word) => (cluster.node(word) >= 0 ? 'a node' : word)).replace(/^node \S+ is not in the cluster$/, 'its node is not in the cluster');
}

/** Pending pods, by the set of their reasons without the counts; the most pods first. */
function waitingRows(cluster) {
  if (cluster.waiting) {
    return cluster.waiting;
  }
  const rows = new Map();
  const parsed = new Map();
  for (let p = 0; p < cluster.podCount; p++) {
    if (!cluster.waits(p)) {
      continue;
    }
    const message = cluster.message(p);
    let reasons = parsed.get(message);
    if (!reasons) {
      reasons = reasonsOf(message).reasons.map((reason) => withoutNodes(cluster, reason.text));
      parsed.set(message, reasons);
    }
    const note = cluster.messageNote(p);
    if (reasons.length === 0) {
      reasons = [missingReason(cluster, p)];
    }
    const key = [cluster.state(p), ...reasons, note].join('\n');
    let row = rows.get(key);
    if (!row) {
      row = { key, state: cluster.state(p), reasons, note, pods: [], owners: new Map() };
      rows.set(key, row);
    }
    row.pods.push(p);
    const owner = ownerOf(cluster, p);
    row.owners.set(owner, (row.owners.get(owner) ?? 0) + 1);
  }
  const order = ['error', 'lost', 'unschedulable', 'preempted', 'evicted'];
  const rank = (row) => (order.includes(row.state) ? order.indexOf(row.state) : order.length);
  cluster.waiting = [...rows.values()].sort((a, b) => rank(a) - rank(b) || b.pods.length - a.pods.length);
  return cluster.waiting;
}
