// Numbers and words as people write them.

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const HUNDREDTHS = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const MONEY = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

function count(number) {
  return WHOLE.format(number);
}

function counted(number, word, plural) {
  return `${count(number)} ${number === 1 ? word : (plural ?? `${word}s`)}`;
}

/** Such as 250m, 2, 16 Gi. */
function amount(resource, value) {
  if (resource === 'cpu') {
    return value !== 0 && Math.abs(value) < 1000 ? `${WHOLE.format(value)}m` : (value < 10000 ? HUNDREDTHS : value < 100000 ? TENTHS : WHOLE).format(value / 1000);
  }
  if (resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')) {
    let left = value;
    let unit = 0;
    while (Math.abs(left) >= 1024 && unit < BINARY.length - 1) {
      left /= 1024;
      unit++;
    }
    return unit === 0 ? WHOLE.format(left) : `${TENTHS.format(left)} ${BINARY[unit]}`;
  }
  return WHOLE.format(value);
}

/** Such as 2 cpu, 16 Gi memory. */
function amountWithName(resource, value) {
  return `${amount(resource, value)} ${resource}`;
}

/** An amount of money, whose currency is that of the prices. */
function money(value) {
  return MONEY.format(value);
}

/** A resource's name without the domain before it. */
function shortName(resource) {
  return resource.slice(resource.lastIndexOf('/') + 1);
}

function percent(share) {
  if (!Number.isFinite(share)) {
    return '-';
  }
  // A share below the whole is never shown as 100%.
  const rounded = Math.round(share * 100);
  return rounded === 100 && share < 0.9999 ? '99%' : `${WHOLE.format(rounded)}%`;
}

/** Such as 8s, 3m 20s, 5h 3m, 2d 4h. */
function duration(seconds) {
  const whole = Math.floor(seconds);
  for (const [length, unit, part, partUnit] of [
    [86400, 'd', 3600, 'h'],
    [3600, 'h', 60, 'm'],
    [60, 'm', 1, 's'],
  ]) {
    if (whole >= length) {
      return `${count(Math.floor(whole / length))}${unit} ${Math.floor((whole % length) / part)}${partUnit}`;
    }
  }
  return `${whole}s`;
}

/** Such as once, 1,200 times. */
function times(number) {
  return number === 1 ? 'once' : `${count(number)} times`;
}

const STATES = {
  // Untrusted names are looked up here, too.
  __proto__: null,
  bound: ['●', 'on its node'],
  scheduled: ['●', 'placed'],
  unschedulable: ['✕', 'unschedulable'],
  error: ['!', 'failed'],
  preempted: ['⇤', 'preempted'],
  evicted: ['⇤', 'evicted'],
  waiting: ['◔', 'waiting for a permit'],
  gated: ['‖', 'gated'],
  otherScheduler: ['◇', 'for another scheduler'],
  deleting: ['–', 'being deleted'],
  deleted: ['–', 'deleted'],
  lost: ['✕', 'its node is gone'],
  pending: ['○', 'pending'],
  inFlight: ['○', 'is being scheduled'],
  active: ['○', 'in the active queue'],
  backoff: ['○', 'backing off'],
  incomplete: ['○', 'its group is not complete'],
  // Of attempts.
  nominated: ['⇤', 'nominated'],
  bindingFailed: ['!', 'not bound'],
};

const PLACED = new Set(['bound', 'scheduled', 'waiting']);
const GONE = new Set(['deleted', 'deleting']);
const BAD = new Set(['unschedulable', 'error', 'preempted', 'evicted', 'lost', 'bindingFailed']);

/** A mark and a word, never a colour alone. */
function stateMark(state) {
  const [mark, words] = STATES[state] ?? ['○', state];
  const kind = PLACED.has(state) ? 'good' : BAD.has(state) ? 'bad' : 'calm';
  return el('span', { class: `state ${kind}` }, el('span', { 'aria-hidden': 'true', class: 'mark' }, mark), words);
}

function stateWords(state) {
  return (STATES[state] ?? ['', state])[1];
}

/**
 * The reasons of a message of the scheduler, apart from their counts.
 *
 * @returns the reasons of nodes, sorted, each with its count, what preemption says, and whether the message has that form
 */
function reasonsOf(message) {
  const head = /^(?:.*?: )??\d+\/\d+ nodes are available: /s.exec(message);
  if (!head) {
    return { reasons: message ? [{ text: message, nodes: null }] : [], preemption: [] };
  }
  const rest = message.slice(head[0].length);
  const cut = rest.indexOf(' preemption: ');
  const preemption = cut < 0 ? '' : rest.slice(cut + ' preemption: '.length);
  return { reasons: countedParts(cut < 0 ? rest : rest.slice(0, cut)), preemption: countedParts(preemption.replace(/^\d+\/\d+ nodes are available: /, '')) };
}

function countedParts(text) {
  const parts = text
    .replace(/\.\s*$/, '')
    .split(/, (?=\d+ )/)
    .map((part) => {
      const match = /^(\d+) (.*)$/s.exec(part);
      return match ? { text: match[2], nodes: Number(match[1]) } : { text: part, nodes: null };
    });
  return parts.filter((part) => part.text).sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}
