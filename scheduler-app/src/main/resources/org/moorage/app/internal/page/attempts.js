// What a running scheduler tells of a pod: what it waits for, and what came of the last attempts at it.

/** Where the pod is and what would have it tried again, in the words of the command why. */
function waitPanel(cluster, told) {
  const queue = told.queue;
  const nominated = told.nominatedNode && !told.node ? told.nominatedNode : '';
  const rejectors = queue?.rejectedBy ?? [];
  return panel(
    ['queued', 'waitingForPermit'].includes(told.state) ? 'Why it is pending' : 'State',
    el('p', null, waitText(told)),
    nominated ? el('p', null, 'Room is being made for it on ', nodeText(cluster, nominated), '.') : null,
    rejectors.length === 0
      ? null
      : [
          el('h3', null, 'Rejected by, and tried again at'),
          el(
            'dl',
            { class: 'rejectors' },
            rejectors.flatMap((rejector) => [
              el('dt', null, rejector.plugin),
              el('dd', null, rejector.movedBy.length === 0 ? 'no event' : rejector.movedBy.map((event) => [el('code', { class: 'event' }, event), ' '])),
            ]),
          ),
        ],
  );
}

function waitText(told) {
  switch (told.state) {
    case 'bound':
      return `It is on ${told.node}.`;
    case 'ended':
      return `It has ended on ${told.node}.`;
    case 'gone':
      return 'It is gone.';
    case 'otherScheduler':
      return `Assigned to another scheduler (${told.scheduler}).`;
    case 'inFlight':
      return 'It is being tried, or bound.';
    case 'waitingForPermit':
      return `It has a node, and waits for a permit: ${told.permits.map((permit) => `${permit.plugin}: at most ${duration(permit.atMostSeconds)}`).join(', ')}.`;
    case 'queued':
      return queueText(told.queue);
    default:
      return 'It is known, and not in the queue: it has only just come, or is about to go.';
  }
}

function queueText(queue) {
  const since = ` for ${duration(queue.forSeconds)}`;
  const tried = queue.attempts === 0 ? ', and was not tried yet.' : `; tried ${times(queue.attempts)}.`;
  switch (queue.in) {
    case 'active':
      return `It is ready${since}, and others are tried before it${tried}`;
    case 'backoff':
      return `It backs off for another ${duration(Math.ceil(queue.backoffSeconds))}${tried}`;
    case 'gated':
      return `Gated${since} by ${queue.gate?.plugin ?? 'a plugin'}: ${queue.gate?.message ?? ''}${tried}`;
    case 'incomplete':
      return `Its pod group, or one above it, is not there${since}${tried}`;
    case 'pending':
      return `Its pod group is being tried${tried}`;
    default:
      return `Unschedulable${since}${tried}`;
  }
}

function attemptPanels(cluster, told) {
  if (told.keptAttempts === 0) {
    return el('p', { class: 'note' }, 'The scheduler keeps no attempts: it runs without ', el('code', null, '--keep-attempts'), '.');
  }
  return [attemptsPanel(cluster, 'Attempts, the last one first', told.attempts), attemptsPanel(cluster, `Attempts at its group ${told.podGroup}`, told.groupAttempts ?? [])];
}

/** Attempts as a table, and one of them in full; attempts in a row that come to the same are one. */
function attemptsPanel(cluster, title, attempts) {
  if (attempts.length === 0) {
    return null;
  }
  const columns = [
    { key: 'at', title: 'Ended', width: '190px', cell: (attempt) => timeText(attempt.at) },
    { key: 'times', title: 'Times', width: '70px', end: true, cell: (attempt) => count(attempt.times) },
    { key: 'result', title: 'Result', width: '140px', cell: (attempt) => stateMark(attempt.result) },
    { key: 'node', title: 'Node', width: '18%', cell: (attempt) => (attempt.node || attempt.nominatedNode ? nodeText(cluster, attempt.node || attempt.nominatedNode) : '-') },
    { key: 'message', title: 'Message', cell: (attempt) => attempt.message || feasibleText(attempt) },
  ];
  const detail = el('div', null);
  const choose = (attempt) => {
    table.show(attempts, '', attempt);
    fill(detail, attemptDetail(cluster, attempt));
  };
  const table = dataTable({ label: title, columns, open: choose });
  const section = panel(title, table.root, detail);
  section.classList.add('attempts');
  choose(attempts[0]);
  return section;
}

function attemptDetail(cluster, attempt) {
  const parts = [
    attempt.message ? el('p', null, attempt.message) : null,
    attempt.times > 1 ? el('p', { class: 'note' }, `${times(attempt.times)} since ${timeText(attempt.firstAt)}, with the same result.`) : null,
    attempt.feasibleNodes > 0 && attempt.message ? el('p', { class: 'note' }, feasibleText(attempt)) : null,
    attempt.postFilter && !attempt.message.includes(attempt.postFilter) ? el('p', { class: 'note' }, `PostFilter: ${attempt.postFilter}`) : null,
    attempt.reasons.length > 0
      ? el(
          'ul',
          { class: 'plain' },
          attempt.reasons.map((reason) =>
            el('li', null, el('strong', null, `${counted(reason.nodes, 'node')} `), reason.plugin ? `${reason.plugin}: ` : null, reason.reason, ' ', el('span', { class: 'note' }, namesText(cluster, reason.examples, reason.nodes))),
          ),
        )
      : null,
    attempt.best.length > 0 ? el('ul', { class: 'plain' }, attempt.best.map((best) => el('li', null, el('strong', null, `${count(best.score)} `), 'score of ', nodeText(cluster, best.node)))) : null,
  ];
  return el('div', { class: 'attempt' }, parts);
}

function feasibleText(attempt) {
  return attempt.evaluatedNodes === 0 ? '' : `${count(attempt.feasibleNodes)} of ${counted(attempt.evaluatedNodes, 'node')} that were looked at would do`;
}

function namesText(cluster, names, all) {
  return names.length === 0 ? null : ['(', names.flatMap((name, at) => [at > 0 ? ', ' : null, nodeText(cluster, name)]), all > names.length ? ', …' : null, ')'];
}

function timeText(time) {
  return time.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
}

function nodeText(cluster, name) {
  return cluster.node(name) >= 0 ? nodeLink(name) : name;
}
