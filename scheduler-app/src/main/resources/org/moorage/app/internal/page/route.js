// What is looked at is in the address, so that a link shows the same.

/** The view and its settings: "#/nodes?sort=cpu&q=zone-a". */
function route() {
  const hash = location.hash.replace(/^#\/?/, '');
  const mark = hash.indexOf('?');
  return {
    view: (mark < 0 ? hash : hash.slice(0, mark)) || (page?.answers.length > 0 ? 'answer' : 'overview'),
    settings: Object.fromEntries(new URLSearchParams(mark < 0 ? '' : hash.slice(mark + 1))),
  };
}

function link(view, settings) {
  const set = Object.entries(settings ?? {}).filter(([, value]) => value !== '' && value !== undefined && value !== null);
  const query = new URLSearchParams(set).toString();
  return `#/${view}${query ? `?${query}` : ''}`;
}

/** Goes to a view; the way back leads here. */
function go(view, settings) {
  history.pushState(null, '', link(view, settings));
  showRoute();
}

/** Changes settings of the view that is shown. Typing makes no step on the way back. */
function set(changed, isTyping) {
  const now = route();
  const address = link(now.view, { ...now.settings, ...changed });
  history[isTyping ? 'replaceState' : 'pushState'](null, '', address);
  showRoute();
}

function podLink(key, text) {
  return el('a', { href: link('pod', { key }) }, text ?? key);
}

function nodeLink(name, text) {
  return el('a', { href: link('nodes', { node: name }) }, text ?? name);
}
