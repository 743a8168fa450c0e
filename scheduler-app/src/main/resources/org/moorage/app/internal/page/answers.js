// Groups of pods, and answers of commands.

function groupsView(page) {
  const cluster = page.cluster;
  const columns = [
    { key: 'group', title: 'Group', cell: (group) => `${'  '.repeat(depthOf(page.groups, group))}${group.group}`, value: (group) => group.group },
    { key: 'kind', title: 'Kind', width: '150px', cell: (group) => group.kind, value: (group) => group.kind },
    { key: 'outcome', title: 'State', width: '160px', cell: (group) => stateMark(group.outcome), value: (group) => group.outcome },
    { key: 'placed', title: 'Placed', width: '120px', end: true, cell: (group) => `${count(group.placed)} of ${count(group.members)}`, value: (group) => group.placed },
    { key: 'needed', title: 'Needed', width: '90px', end: true, cell: (group) => count(group.needed), value: (group) => group.needed },
    { key: 'domain', title: 'Domain', width: '12%', cell: (group) => group.domain || '-', value: (group) => group.domain },
    { key: 'message', title: 'Message', cell: (group) => groupReason(group) || '-', value: (group) => groupReason(group) },
  ];
  const search = textField('Search groups', 'Search groups', (text) => set({ q: text }, true));
  const table = dataTable({ label: 'Groups of pods', columns, open: (group) => set({ group: group.group }), sort: (key) => set({ sort: nextSort(route().settings.sort ?? '', key, columns) }) });
  const detail = el('div', null);
  const root = el('div', null, el('div', { class: 'bar-of-controls' }, search.root), panel('', table.root), detail);

  function update(settings) {
    search.set(settings.q ?? '');
    const words = (settings.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const list = page.groups.filter((group) => words.every((word) => `${group.group} ${group.kind} ${group.outcome} ${group.message} ${group.domain}`.toLowerCase().includes(word)));
    const chosen = page.groups.find((group) => group.group === settings.group) ?? null;
    table.show(sortedRows(list, columns, settings.sort ?? ''), settings.sort ?? '', chosen);
    fill(detail, chosen ? groupDetail(cluster, chosen) : null);
  }

  return { root, update };
}

function depthOf(groups, group) {
  let depth = 0;
  for (let parent = group.parent; parent && depth < 8; depth++) {
    parent = groups.find((one) => one.group === parent && one.kind === 'CompositePodGroup')?.parent;
  }
  return depth;
}

// A group without a message may lack pods, or wait for the reasons of its pods.
function groupReason(group) {
  return group.message || (group.members < group.needed ? `${counted(group.members, 'pod')} of the ${count(group.needed)} needed` : group.placed < group.needed ? 'its pods have the reasons' : '');
}

function groupDetail(cluster, group) {
  return panel(
    group.group,
    groupReason(group) ? el('p', null, groupReason(group)) : null,
    el('h3', null, counted(group.pods.length, 'pod')),
    el(
      'ul',
      { class: 'plain' },
      group.pods.slice(0, 200).map((key) => {
        const p = cluster.pod(key);
        return el('li', null, podLink(key), ' ', p < 0 ? null : stateMark(cluster.state(p)), p < 0 ? null : cluster.podNode(p) >= 0 ? nodeLink(cluster.nodeName(cluster.podNode(p))) : reasonText(cluster, p));
      }),
    ),
    (group.nodes ?? []).length > 0 ? el('p', { class: 'note' }, `On ${group.nodes.slice(0, 20).join(', ')}${group.nodes.length > 20 ? ` and ${group.nodes.length - 20} more` : ''}`) : null,
  );
}

/** The answers of commands: the sentence, some figures, the console's texts and tables, and all fields in a part that opens. */
function answersView(page) {
  const search = textField('Search all fields', 'Search all fields', (text) => set({ q: text }, true));
  const tables = page.answers.flatMap((answer) => tablesOf(answer.title, answer.tree));
  const shown = tables.map((table) => answerTable(page, table));
  const fields = el('details', { class: 'fields' }, el('summary', null, 'All fields'), el('div', { class: 'bar-of-controls' }, search.root), shown.map((table) => table.root));
  const pictures = page.answers.map((answer) => picturesOf(page, answer.tree));
  const root = el('div', null, page.answers.map((answer, at) => [answerPanel(page, answer), el('div', { class: 'pictures' }, pictures[at].elements)]), fields);

  function update(settings) {
    search.set(settings.q ?? '');
    fields.open ||= Boolean(settings.q);
    shown.forEach((table, at) => table.update(settings.q ?? '', settings[`s${at}`] ?? '', at));
  }

  return { root, update, redraw: () => pictures.forEach(({ plots }) => plots.forEach((one) => one.redraw())) };
}

function answerPanel(page, answer) {
  const verdict = el('span', { class: answer.succeeded ? 'verdict yes' : 'verdict no' }, answer.succeeded ? 'Yes' : 'No');
  return el(
    'section',
    { class: 'panel answer' },
    el('h2', { class: 'headline' }, verdict, ' ', answer.headline || answer.title),
    answer.figures.length > 0 ? el('div', { class: 'stats' }, answer.figures.map(({ name, value }) => el('div', { class: 'stat' }, el('span', { class: 'title' }, name), el('strong', null, /^\d+$/.test(value) ? count(Number(value)) : value)))) : null,
    answer.blocks.map(({ kind, content }, at) => (kind === 'table' ? blockTable(page, content, `Block ${at + 1} of ${answer.title}`) : kind === 'heading' ? el('h3', null, content.text) : el('p', { class: `block ${content.style}` }, content.text))),
  );
}

// The rows of the console; wide tables scroll by themselves.
function blockTable(page, { columns, rows }, label) {
  const hasTitles = columns.some((column) => column.title !== '');
  const cell = ({ text, style }, at) => el('td', { class: `${columns[at].isNumber ? 'end ' : ''}${style}` }, page.cluster.pod(text) >= 0 ? podLink(text) : page.cluster.node(text) >= 0 ? nodeLink(text) : text);
  return el(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
    el(
      'table',
      { class: 'block' },
      hasTitles ? el('thead', null, el('tr', null, columns.map((column) => (column.title ? el('th', { class: column.isNumber ? 'end' : null, scope: 'col' }, column.title) : el('td', null))))) : null,
      el('tbody', null, rows.map((row) => el('tr', null, columns.map((column, at) => cell(row[at] ?? { text: '', style: '' }, at))))),
    ),
  );
}

function answerTable(page, { title, columns, rows }) {
  const texts = rows.map((row) => row.map(plainText).join(' ').toLowerCase());
  const isNumber = columns.map((_, at) => rows.length > 0 && rows.every((row) => row[at] === null || row[at] === '' || typeof row[at] === 'number'));
  const widths = columns.map((_, at) => Math.min(60, Math.max(columns[at].length + 2, ...rows.slice(0, 200).map((row) => plainText(row[at]).length))));
  const all = widths.reduce((sum, width) => sum + width, 0);
  const indexes = rows.map((_, index) => index);
  let place = 0;
  const tableColumns = columns.map((name, at) => ({
    key: String(at),
    title: name,
    width: `${(100 * widths[at]) / all}%`,
    end: isNumber[at],
    cell: (index) => valueCell(page, rows[index][at]),
    value: (index) => (isNumber[at] ? Number(rows[index][at]) : plainText(rows[index][at])),
  }));
  const table = dataTable({ label: title, columns: tableColumns, sort: (key) => set({ [`s${place}`]: nextSort(route().settings[`s${place}`] ?? '', key, tableColumns) }) });
  return {
    root: panel(title, table.root),
    update: (search, sorted, at) => {
      place = at;
      table.show(sortedRows(search ? found(texts, search) : indexes, tableColumns, sorted), sorted);
    },
  };
}

function plainText(value) {
  if (value === null || value === undefined) {
    return '';
  }
  if (Array.isArray(value)) {
    return value.every((item) => typeof item !== 'object' || item === null) ? value.join(', ') : value.map(plainText).join('; ');
  }
  return typeof value === 'object' ? Object.entries(value).map(([name, item]) => `${name}: ${plainText(item)}`).join(', ') : String(value);
}

// Pods and nodes that the page knows are links to them.
function valueCell(page, value) {
  if (typeof value === 'string') {
    return page.cluster.pod(value) >= 0 ? podLink(value) : page.cluster.node(value) >= 0 ? nodeLink(value) : value;
  }
  return typeof value === 'number' ? (Number.isInteger(value) ? count(value) : HUNDREDTHS.format(value)) : plainText(value);
}

/** The lists of a tree as tables; what is left of it as one table of names and values. */
function tablesOf(title, tree) {
  const tables = [];
  const single = [];
  for (const [name, value] of Object.entries(tree)) {
    if (Array.isArray(value) && value.length > 0 && value.every((item) => item !== null && typeof item === 'object' && !Array.isArray(item))) {
      const columns = [...new Set(value.flatMap((item) => Object.keys(item)))];
      tables.push({ title: `${title}: ${words(name)}`, columns: columns.map(words), rows: value.map((item) => columns.map((column) => item[column] ?? null)) });
    } else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      single.push(...Object.entries(value).map(([of, item]) => [`${words(name)}, ${words(of)}`, item]));
    } else if (!Array.isArray(value) || value.length > 0) {
      single.push([words(name), value]);
    }
  }
  return single.length > 0 ? [{ title, columns: ['what', 'value'], rows: single }, ...tables] : tables;
}

/** "milliCpu" as "milli cpu". */
function words(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, (all, before, after) => `${before} ${after.toLowerCase()}`);
}
