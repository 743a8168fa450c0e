// Questions about the cluster, which the server of the page answers with the data of another page.

const LONGEST_QUESTION = 600000;

/** Forms of questions; one that is sent calls `ask` with the name of the question and its arguments. */
function askView(page, ask) {
  const cluster = page.cluster;
  const types = nodesBy(cluster, cluster.type).map(([type]) => type).filter(Boolean);
  const nodeNames = (text) => suggestions(cluster, text).filter((name) => cluster.node(name) >= 0);
  const typeNames = (text) => [...types.filter((type) => type.toLowerCase().includes(text.toLowerCase())), ...nodeNames(text)].slice(0, MOST_SUGGESTIONS);

  const drained = namesField('Nodes, separated by spaces', 'node-1 node-2', nodeNames);
  const deleted = checkbox('Delete emptyDir data');
  const forced = checkbox('Force: also pods without a controller');
  const lost = namesField('Nodes, or a label such as zone=a', 'zone=a', nodeNames);
  const added = namesField('Instance type, or a node to copy', types[0] ?? cluster.nodeName(0), typeNames);
  const most = el('input', { type: 'number', min: '1', max: '10000', value: '10', required: true });
  const manifest = el('textarea', { rows: '9', spellcheck: 'false', required: true, placeholder: 'apiVersion: apps/v1\nkind: Deployment\n...' });

  const root = el(
    'div',
    null,
    el('p', { class: 'note' }, 'Each question is simulated with the cluster as it was read. Nothing is changed in it.'),
    el(
      'div',
      { class: 'columns' },
      questionForm(ask, 'Drain nodes', 'Where do their pods go?', [drained.root, deleted.root, forced.root], 'drain', () => ({
        nodes: drained.names(),
        ...(deleted.isChecked() ? { deleteEmptydirData: true } : {}),
        ...(forced.isChecked() ? { force: true } : {}),
      })),
      questionForm(ask, 'Fail nodes', 'Which pods are pending if nodes or a zone fail?', [lost.root], 'outage', () => ({ nodes: lost.names() })),
      questionForm(ask, 'Add nodes', 'How many new nodes of a type do the pending pods need?', [added.root, labelled('New nodes at most', most)], 'scale-up', () => ({ types: added.names(), maxNodes: Number(most.value) })),
      questionForm(ask, 'Fit a manifest', 'Would its pods be scheduled?', [labelled('Pods and workloads, in YAML or JSON', manifest)], 'fit', () => ({ manifest: manifest.value })),
    ),
  );

  function update(settings) {
    drained.set(settings.drain ?? drained.text());
    added.set(settings.type ?? added.text());
  }

  return { root, update };
}

function questionForm(ask, title, text, fields, question, values) {
  const button = el('button', { type: 'submit' }, title);
  const problem = el('p', { class: 'failure', role: 'alert', hidden: true });
  const tell = (message) => {
    problem.textContent = message;
    problem.hidden = message === '';
  };
  const form = el('form', { class: 'ask' }, el('p', { class: 'note' }, text), fields, el('div', null, button), problem);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    tell('');
    button.disabled = true;
    button.textContent = 'Simulating …';
    announce('Simulating');
    try {
      await ask(question, values());
    } catch (failure) {
      tell(failure.message);
    } finally {
      button.disabled = false;
      button.textContent = title;
    }
  });
  return panel(title, form);
}

function labelled(label, field) {
  return el('label', null, el('span', null, label), field);
}

function checkbox(label) {
  const box = el('input', { type: 'checkbox' });
  return { root: el('label', { class: 'check' }, box, el('span', null, label)), isChecked: () => box.checked };
}

let namesFields = 0;

/** A field for names, which suggests some for the last one. */
function namesField(label, placeholder, suggested) {
  const list = el('datalist', { id: `names-${namesFields++}` });
  const field = el('input', { type: 'text', placeholder, required: true, list: list.id, spellcheck: 'false', autocomplete: 'off' });
  field.addEventListener('input', () => {
    const [, others, last] = /^(.*?)(\S*)$/s.exec(field.value);
    fill(list, suggested(last).map((name) => el('option', { value: others + name })));
  });
  return {
    root: [labelled(label, field), list],
    text: () => field.value,
    set: (text) => (field.value = text),
    names: () => field.value.split(/[\s,]+/).filter(Boolean),
  };
}
