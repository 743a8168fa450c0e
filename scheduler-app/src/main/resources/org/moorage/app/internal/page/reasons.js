// Why pods are pending: the scheduler's message in the pod, or else what the answers of the page report.

const NOT_EVALUATED = 'not evaluated: the pod was pending before';

/**
 * The reasons that answers and evaluations report.
 *
 * @returns "of", which gives for a pod's key the text, whether the pod is schedulable, and a note that limits both; and "otherwise", the
 *     text for pods that are not reported
 */
function reportedReasons({ answers = [], evaluations = [] }) {
  const reasons = new Map();
  const add = (pods, note, place) => {
    for (const { pod, node, message, fits } of Array.isArray(pods) ? pods : []) {
      if ((message || node) && !reasons.has(pod)) {
        reasons.set(pod, { text: message || `schedulable to ${place ?? node}`, isSchedulable: Boolean(node || fits), note });
      }
    }
  };
  for (const { tree } of answers) {
    // Numbers in some answers, lists in others.
    add(tree.pendingBefore, '');
    add(tree.pending, '');
    add(tree.fitting, '');
    add(tree.onOwnNodes, '');
    add(tree.expendable, '');
    for (const type of tree.types ?? []) {
      add(type.pods, `with ${counted(type.podsWithNodes, `new ${type.type} node`)}`, 'a new node');
    }
    for (const side of tree.sides ?? []) {
      add(side.pods, `with ${side.name}`);
    }
  }
  add(evaluations, '');
  return { of: (key) => reasons.get(key), otherwise: answers.some(({ tree }) => tree.scheduledBefore > 0) ? 'schedulable on an existing node, or not evaluated' : NOT_EVALUATED };
}

const NO_REASONS = { of: () => undefined, otherwise: NOT_EVALUATED };

/** The text for a pending pod without a reason. */
function missingReason(cluster, p) {
  if (!cluster.hasQueue) {
    return cluster.otherwise;
  }
  return cluster.attempts(p) > 0 ? 'the scheduler reports no reason' : 'not tried yet';
}

/** Why a pod has no node, in one text; empty if it has one, or is not to get one. */
function reasonText(cluster, p) {
  const note = cluster.messageNote(p);
  return cluster.waits(p) ? `${cluster.message(p) || missingReason(cluster, p)}${note ? ` (${note})` : ''}` : cluster.message(p);
}
