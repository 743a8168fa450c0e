// The search in the head of the page: suggests names while typing, and goes to what is chosen.

const MOST_SUGGESTIONS = 20;

/** The names of nodes, owners and pods that can be suggested, also in lower case; made at the first search. */
function suggestedNames(cluster) {
  if (!cluster.searched.has('names')) {
    const owners = new Set(Array.from({ length: cluster.podCount }, (_, p) => ownerOf(cluster, p)));
    const names = [...Array.from({ length: cluster.nodeCount }, (_, i) => cluster.nodeName(i)), ...owners];
    names.push(...cluster.keys.filter((key) => !owners.has(key)));
    cluster.searched.set('names', { names, texts: names.map((name) => name.toLowerCase()) });
  }
  return cluster.searched.get('names');
}

/** At most some names that contain a text: those that begin with it first, with or without their namespace. */
function suggestions(cluster, text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') {
    return [];
  }
  const { names, texts } = suggestedNames(cluster);
  const first = [];
  const others = [];
  for (let i = 0; i < names.length && first.length < MOST_SUGGESTIONS; i++) {
    const at = texts[i].indexOf(wanted);
    if (at === 0 || texts[i][at - 1] === '/') {
      first.push(names[i]);
    } else if (at > 0 && others.length < MOST_SUGGESTIONS) {
      others.push(names[i]);
    }
  }
  return [...first, ...others].slice(0, MOST_SUGGESTIONS);
}

/** Goes to the node or pod of that name, to the pods of that owner, or to the list of what is found. */
function searchAll(cluster, text) {
  const wanted = text.trim();
  if (wanted === '') {
    return;
  }
  if (cluster.node(wanted) >= 0) {
    go('nodes', { node: wanted });
  } else if (cluster.pod(wanted) >= 0) {
    go('pod', { key: wanted });
  } else if (found(searchTexts(cluster, 'nodes'), wanted).length > 0) {
    go('nodes', { q: wanted });
  } else {
    // The name of an owner follows its kind in what is searched.
    go('pods', { q: wanted.replace(/^([^/\s]+\/)(\S+)$/, '$1 $2') });
  }
}

/** Fills the list of suggestions as something is typed, and goes to one that is chosen. */
function listenToSearch(clusterOfPage) {
  const field = document.getElementById('search');
  const list = document.getElementById('suggestions');
  field.addEventListener('input', (event) => {
    fill(list, suggestions(clusterOfPage(), field.value).map((name) => el('option', { value: name })));
    if (event.inputType === 'insertReplacementText') {
      searchAll(clusterOfPage(), field.value);
    }
  });
  document.getElementById('search-form').addEventListener('submit', (event) => {
    event.preventDefault();
    searchAll(clusterOfPage(), field.value);
  });
}
