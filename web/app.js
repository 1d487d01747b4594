// The frame around the views: navigation, filters, where the data comes from.
import {add, h, replace, setText} from './dom.js';
import {nameQueues} from './colors.js';
import {choices, isActive, queryOf, readFilter} from './filter.js';
import {duration, number} from './format.js';
import {store} from './store.js';
import {startTheme} from './theme.js';
import {overview} from './views/overview.js';
import {map} from './views/map.js';
import {queues} from './views/queues.js';
import {workloads} from './views/workloads.js';
import {workload} from './views/workload.js';
import {waiting} from './views/waiting.js';

// In the order of the navigation. A view has a path, a title, the sections it needs, and mount(root,
// context), which returns {update, unmount}.
const VIEWS = [overview, map, queues, workloads, waiting];
const PAGES = [workload];

const root = document.getElementById('view');
const live = document.getElementById('live');
let shown = null;  // {view, parts}
let filter = readFilter();

export function navigate(url) {
  if (url === location.pathname + location.search) return;
  history.pushState(null, '', url);
  show();
}

const context = {
  get filter() { return filter; },
  get parameters() { return decodeURI(location.pathname).split('/').slice(2); },
  link(path) { return path + queryOf(filter); },
  navigate,
  announce(text) { setText(live, text); },
  setFilter,
};

function viewAt(path) {
  return [...VIEWS, ...PAGES].find(view => view.matches ? view.matches(path) : view.path === path);
}

function show() {
  filter = readFilter();
  const view = viewAt(location.pathname);
  shown?.parts?.unmount?.();
  shown = null;
  replace(root);
  drawNavigation();
  drawFilters();
  if (!view) {
    replace(root, h('p.empty', {}, 'There is no such view. The navigation above lists what there is.'));
    return;
  }
  document.title = `${view.title} · Coppice`;
  shown = {view, parts: view.mount(root, context)};
  store.need(['overview', ...view.sections, ...(isActive(filter) ? ['workloads'] : [])]);
  refresh(null);
}

let pending = null;
function refreshSoon(sections) {
  if (pending) { sections.forEach(name => pending.add(name)); return; }
  pending = new Set(sections);
  requestAnimationFrame(() => {
    const changed = pending;
    pending = null;
    refresh(changed);
  });
}

// `changed`: sections; null means all.
function refresh(changed) {
  drawSource();
  drawNotices();
  if (!changed || changed.has('overview')) drawNavigation();
  if (!changed || changed.has('workloads') || changed.has('queues')) drawFilters();
  if (!shown) return;
  const missing = shown.view.sections.filter(name => !store.has(name));
  if (!missing.length && store.overview) shown.parts.update(changed);
}

function drawNavigation() {
  const nav = document.getElementById('nav');
  const count = (store.overview?.reasons || []).reduce((sum, reason) => sum + reason.workloads, 0);
  if (!nav.firstChild) {
    for (const view of VIEWS) nav.append(h('a', {'data-link': true}, view.title, h('span.badge', {hidden: true})));
  }
  VIEWS.forEach((view, i) => {
    const link = nav.children[i];
    const here = shown ? shown.view === view || (view.path === '/workloads' && shown.view === workload) : view === viewAt(location.pathname);
    link.setAttribute('href', view.path + queryOf(filter));
    if (here) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
    if (view !== waiting) return;
    link.lastChild.hidden = !count;
    setText(link.lastChild, number(count));
    link.lastChild.setAttribute('aria-label', `${number(count)} waiting`);
  });
}

// ---- Filters ---------------------------------------------------------------------------------------

const LABELS = {ns: 'Namespace', queue: 'Queue', scheduler: 'Scheduler'};
const filters = document.getElementById('filters');

function setFilter(changes) {
  const next = {...filter, ...changes};
  history.replaceState(null, '', location.pathname + queryOf(next));
  filter = next;
  if (isActive(filter)) store.need(['workloads']);
  drawNavigation();
  drawFilters();
  if (shown && store.overview) shown.parts.update(null);
}

function makeFilters() {
  for (const [key, label] of Object.entries(LABELS)) {
    const select = h('select', {name: key, onchange: event => setFilter({[key]: event.target.value})});
    // The choices are read from the workloads, which not every view has loaded.
    select.addEventListener('focus', () => store.need(['workloads']));
    filters.append(h('label', {}, h('span', {}, label), select));
  }
  const text = h('input', {type: 'search', name: 'q', placeholder: 'Name, node, reason…  ( / )', autocomplete: 'off',
                           spellcheck: 'false', oninput: event => setFilter({q: event.target.value})});
  filters.append(h('label.text', {}, h('span', {}, 'Text'), text));
  filters.append(h('button.clear', {type: 'button', hidden: true,
                                    onclick: () => { setFilter({ns: '', queue: '', scheduler: '', q: ''}); filters.elements.q.focus(); }}, 'Clear'));
  filters.addEventListener('submit', event => event.preventDefault());
}

function drawFilters() {
  if (!filters.firstChild) makeFilters();
  const known = choices(store.rows('workloads'));
  nameQueues([...new Set([...store.rows('queues').keys(), ...known.queue])].sort());
  for (const key of Object.keys(LABELS)) {
    const select = filters.elements[key];
    const values = [...new Set([filter[key], ...known[key]])].filter(Boolean).sort();
    if (select.dataset.values !== values.join('\n')) {
      select.dataset.values = values.join('\n');
      replace(select, h('option', {value: ''}, 'All'), values.map(value => h('option', {value}, value)));
    }
    select.value = filter[key];
  }
  if (document.activeElement !== filters.elements.q) filters.elements.q.value = filter.q;
  filters.querySelector('.clear').hidden = !isActive(filter);
}

// ---- Where the data comes from, and what is wrong ---------------------------------------------------

function drawSource() {
  const source = store.overview?.source;
  const element = document.getElementById('source');
  if (!source) return;
  const live = source.kind === 'cluster' && source.connected && !store.lostSince;
  const text = source.kind === 'snapshot' ? `snapshot ${source.name}` : `${live ? 'live' : 'not live'} · ${source.name.replace(/^https?:\/\//, '')}`;
  element.className = 'source ' + (live ? 'is-live' : source.kind === 'snapshot' ? 'is-file' : 'is-stale');
  setText(element, text);
  element.title = text;
}

let drawnNotices = '';
function drawNotices() {
  const lines = [];
  const source = store.overview?.source;
  const age = since => duration(Date.now() / 1000 - since);
  if (store.error?.status === 401) lines.push(['alert', `${store.error.error}.`]);
  else if (store.lostSince) {
    lines.push(['alert', `coppice does not answer since ${age(store.lostSince / 1000)}. ` +
                (store.version ? 'This is what it last sent. ' : '') + 'Is it still running? This page tries again.']);
  }
  if (source && !source.connected && source.error !== 'reading the cluster') {
    lines.push(['alert', `The API server does not answer since ${age(source.since)} (${source.error}). This is the state of then; ` +
                'coppice tries again. Check the server, and the kubeconfig.']);
  }
  if (source && !source.connected && source.error === 'reading the cluster') lines.push(['note', 'Reading the cluster…']);
  for (const notice of source?.notices || []) lines.push(['note', notice]);
  const text = lines.map(line => line.join()).join('\n');
  if (text === drawnNotices) return;
  drawnNotices = text;
  replace(document.getElementById('notices'),
          lines.map(([kind, line]) => h(`p.notice.${kind}`, {role: kind === 'alert' ? 'alert' : 'note'}, line)));
}

// ---- Events ----------------------------------------------------------------------------------------

document.addEventListener('click', event => {
  const link = event.target.closest?.('a[data-link]');
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(link.getAttribute('href'));
  root.focus({preventScroll: true});
});

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === 'Escape' && typing) { event.target.blur(); return; }
  if (typing) return;
  if (event.key === '/') { event.preventDefault(); filters.elements.q.focus(); filters.elements.q.select(); return; }
  const index = Number(event.key) - 1;
  if (index >= 0 && index < VIEWS.length) navigate(VIEWS[index].path + queryOf(filter));
});

addEventListener('popstate', show);
store.addEventListener('change', event => refreshSoon(event.detail));
store.addEventListener('tick', () => { drawNotices(); shown?.parts?.tick?.(); });
startTheme(document.getElementById('theme'), () => { if (shown && store.overview) shown.parts.update(null); });
show();
