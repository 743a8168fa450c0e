// Reads the data, shows the view that the address names, and has it change with the address.

const VIEWS = [
  { name: 'answer', title: 'Answer', make: answersView, badge: () => null, isShown: (page) => page.answers.length > 0 },
  { name: 'overview', title: 'Overview', make: overviewView, badge: () => null },
  { name: 'waiting', title: 'Pending', make: waitingView, badge: (page) => page.waiting },
  { name: 'nodes', title: 'Nodes', make: nodesView, badge: (page) => page.cluster.nodeCount },
  { name: 'pods', title: 'Pods', make: podsView, badge: (page) => page.cluster.podCount },
  { name: 'pod', title: 'Pod', make: podView, badge: () => null, isShown: (page, now) => now === 'pod' || page.evaluations.length > 0 },
  { name: 'compare', title: 'Before and after', make: compareView, badge: () => null, isShown: (page) => page.before !== null },
  { name: 'groups', title: 'Groups', make: groupsView, badge: (page) => page.groups.length, isShown: (page) => page.groups.length > 0 },
  { name: 'ask', title: 'Ask', make: (page) => askView(page, ask), badge: () => null, isShown: () => canAsk() },
];

let page = null;
// The data of the cluster, which an answer replaces on the page.
let home = null;
let current = { name: '', view: null };
// Those that have been shown, so that going back to one is quick.
let views = new Map();

const DARK_SYSTEM = matchMedia('(prefers-color-scheme: dark)');

function currentTheme() {
  return document.documentElement.dataset.theme;
}

/** Sets the theme that was chosen with the button, or else the system's. */
function setTheme() {
  let chosen = null;
  try {
    chosen = localStorage.getItem('moorage-theme');
  } catch {
    // The system's theme, then.
  }
  document.documentElement.dataset.theme = chosen ?? (DARK_SYSTEM.matches ? 'dark' : 'light');
  showTheme();
}

function toggleTheme() {
  const theme = currentTheme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('moorage-theme', theme);
  } catch {
    // It is forgotten where nothing may be kept.
  }
  showTheme();
}

function showTheme() {
  const isDark = currentTheme() === 'dark';
  document.getElementById('theme').textContent = isDark ? '☀ Light' : '☾ Dark';
  current.view?.redraw?.();
}

async function embedded() {
  const text = document.getElementById('data').textContent.trim();
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

async function fetchJson(address, options = {}, longest = 120000) {
  const response = await fetch(address, { ...options, headers: { Accept: 'application/json', ...options.headers }, signal: AbortSignal.timeout(longest) });
  const text = await response.text();
  if (!response.ok) {
    const isJson = response.headers.get('Content-Type') === 'application/json';
    throw new Error((isJson && JSON.parse(text).error) || `${response.status} ${text.slice(0, 300)}`);
  }
  return JSON.parse(text);
}

function canAsk() {
  return Boolean(home?.live?.questions) && location.protocol !== 'file:';
}

/** Asks the server a question, and shows the answer. */
async function ask(question, values) {
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) };
  const answer = await fetchJson(`${home.live.questions}/${question}?view=page`, options, LONGEST_QUESTION);
  history.pushState(null, '', link('answer'));
  use(answer);
}

/** Shows the cluster again. */
function showHome() {
  history.pushState(null, '', link('overview'));
  use(home);
}

function pageOf(data) {
  const cluster = clusterOf(data.cluster, reportedReasons(data));
  let waiting = 0;
  for (let p = 0; p < cluster.podCount; p++) {
    waiting += cluster.waits(p) ? 1 : 0;
  }
  return {
    ...data,
    cluster,
    waiting,
    before: data.before ? clusterOf(data.before) : null,
    notes: data.notes ?? [],
    groups: data.groups ?? [],
    answers: data.answers ?? [],
    moves: data.moves ?? [],
    evaluations: data.evaluations ?? [],
  };
}

function use(data) {
  page = pageOf(data);
  // What was typed in the forms stays while the cluster does.
  const forms = data.live && data !== home ? undefined : views.get('ask');
  home = data.live || home === null ? data : home;
  current = { name: '', view: null };
  views = new Map(forms ? [['ask', forms]] : []);
  document.title = `${data.title} · Moorage`;
  document.getElementById('title').textContent = data.title;
  fill(document.getElementById('command'), data.command ? copyable(data.command, 'the command') : null);
  fill(
    document.getElementById('about'),
    `${data.made.replace('T', ' ').replace(/\.\d+Z$|Z$/, ' UTC')} · Moorage ${data.version}, decides as kube-scheduler ${data.decidesAs}`,
  );
  document.getElementById('home').hidden = data === home;
  document.getElementById('refresh').hidden = !page.live || location.protocol === 'file:';
  showRoute();
}

async function refresh() {
  const button = document.getElementById('refresh');
  button.disabled = true;
  tell('Reading the cluster …');
  try {
    use(await fetchJson(page.live.data));
    tell('');
    announce('The page shows the cluster as it is now.');
  } catch (failure) {
    tell(`The cluster cannot be read: ${failure.message}`);
  } finally {
    button.disabled = false;
  }
}

/** Shows the view of the address, or changes it where it is shown already. */
function showRoute() {
  if (page === null) {
    return;
  }
  const now = route();
  const shown = VIEWS.filter((view) => !view.isShown || view.isShown(page, now.view));
  const view = shown.find((one) => one.name === now.view) ?? shown[0];
  if (current.name !== view.name) {
    if (!views.has(view.name)) {
      views.set(view.name, view.make(page));
    }
    current = { name: view.name, view: views.get(view.name) };
    fill(document.getElementById('view'), current.view.root);
    fill(
      document.getElementById('tabs'),
      shown.map((one) => {
        const badge = one.badge(page);
        return el('a', { href: link(one.name), 'aria-current': one.name === view.name ? 'page' : null, 'data-view': one.name }, one.title, badge === null ? null : el('span', { class: 'badge' }, count(badge)));
      }),
    );
    showCurrentTab();
    window.scrollTo(0, 0);
    announce(view.title);
  }
  current.view.update(now.settings);
}

// Where not all tabs fit.
function showCurrentTab() {
  const tabs = document.getElementById('tabs');
  const tab = tabs.querySelector('[aria-current]');
  tabs.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - tabs.clientWidth / 2;
}

function tell(message) {
  const failure = document.getElementById('failure');
  failure.textContent = message;
  failure.hidden = message === '';
}

// Keys: / to the search, 1 to 9 to the views, t for the theme, r to read again.
function shortcut(event) {
  const isTyping = event.target.closest?.('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (isTyping) {
    if (event.key === 'Escape') {
      event.target.blur();
    }
    return;
  }
  const tabs = [...document.querySelectorAll('#tabs a')];
  if (event.key === '/') {
    event.preventDefault();
    document.getElementById('search').focus();
  } else if (event.key === 't') {
    toggleTheme();
  } else if (event.key === 'r' && !document.getElementById('refresh').hidden) {
    refresh();
  } else if (/^[1-9]$/.test(event.key) && tabs[Number(event.key) - 1]) {
    location.hash = tabs[Number(event.key) - 1].getAttribute('href');
  } else if (event.key === 'Escape' && route().settings.node) {
    set({ node: '' });
  }
}

async function begin() {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this browser cannot read the page (expected: Chromium 80, Firefox 113, Safari 16.4 or later)');
  }
  document.getElementById('theme').addEventListener('click', toggleTheme);
  document.getElementById('refresh').addEventListener('click', refresh);
  document.getElementById('home').addEventListener('click', showHome);
  listenToSearch(() => page.cluster);
  document.addEventListener('keydown', shortcut);
  DARK_SYSTEM.addEventListener('change', setTheme);
  window.addEventListener('hashchange', showRoute);
  window.addEventListener('popstate', showRoute);
  setTheme();
  use(await embedded());
  document.documentElement.dataset.ready = 'true';
}

window.addEventListener('error', (event) => tell(`The page failed: ${event.message}`));
begin().catch((failure) => tell(`The page cannot be shown: ${failure.message}`));
