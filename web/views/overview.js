// GPUs held, free and stranded; what waits, by reason; what changed lately.
import {h, replace} from '../dom.js';
import {isActive, matchesWorkload, queryOf} from '../filter.js';
import {clock, duration, number, parseId, plural, words} from '../format.js';
import {stackedBar, workloadPath} from '../parts.js';
import {store} from '../store.js';

function tile(label, value, note, kind = '') {
  return h(`div.tile${kind && '.' + kind}`, {}, h('dt', {}, label), h('dd', {}, value), note && h('dd.note', {}, note));
}

function percent(part, whole) { return whole > 0 ? `${Math.round(100 * part / whole)} %` : '–'; }

function gpuSection(o, filter) {
  const rows = isActive(filter) && store.has('workloads') ? [...store.rows('workloads').values()].filter(row => matchesWorkload(filter, row)) : null;
  const held = rows ? rows.reduce((sum, row) => sum + row.gpus, 0) : o.held;
  const free = Math.max(0, o.gpus - o.held - o.stranded - o.parts);
  const label = `${number(o.held)} GPUs held, ${number(free)} free, ${number(o.stranded)} stranded, of ${number(o.gpus)}`;
  return h('section', {'aria-labelledby': 'gpus'}, h('h2', {id: 'gpus'}, 'GPUs'),
    h('dl.tiles', {},
      tile('Held', number(held), rows ? `by what the filter shows; ${number(o.held)} in all` : percent(o.held, o.gpus), 'held'),
      tile('Free', number(free), `up to ${number(o.largestHole)} on one node`, 'free'),
      tile('Stranded', number(o.stranded), 'free, but the node is cordoned, not ready or full', 'stranded'),
      tile('All', number(o.gpus), `on ${plural(o.nodes, 'node')}, ${number(o.nodesReady)} ready`)),
    stackedBar([{value: o.held, class: 'part-held', label: `${number(o.held)} held`},
                {value: o.parts, class: 'part-parts', label: `${number(o.parts)} left of shared GPUs`},
                {value: o.stranded, class: 'part-stranded', label: `${number(o.stranded)} stranded`}], o.gpus, label),
    h('ul.legend', {}, h('li.key-held', {}, 'held'), h('li.key-parts', {}, `left of shared GPUs (${number(o.parts)})`),
      h('li.key-stranded', {}, 'stranded'), h('li.key-free', {}, 'free')));
}

function reasonsOf(o, filter) {
  if (!isActive(filter) || !store.has('workloads')) return o.reasons;
  const found = new Map();
  for (const row of store.rows('workloads').values()) {
    if (!row.reason || !matchesWorkload(filter, row)) continue;
    const entry = found.get(row.reason) || {reason: row.reason, workloads: 0, asked: 0};
    entry.workloads += 1;
    entry.asked += row.asked || 0;
    found.set(row.reason, entry);
  }
  return [...found.values()].sort((a, b) => b.asked - a.asked);
}

function waitingSection(o, filter) {
  const reasons = reasonsOf(o, filter);
  const size = reason => reason.asked || reason.workloads;
  const most = Math.max(1, ...reasons.map(size));
  const item = reason => h('li', {}, h('a.bar-link', {href: '/waiting' + queryOf({...filter, q: reason.reason}), 'data-link': true},
    h('span.bar-name', {}, words(reason.reason)),
    stackedBar([{value: size(reason), class: 'part-waiting', label: ''}], most, ''),
    h('span.bar-value', {}, `${plural(reason.workloads, 'workload')}, ${plural(reason.asked, 'GPU')}`)));
  return h('section', {'aria-labelledby': 'waits'}, h('h2', {id: 'waits'}, 'Waiting, by reason'),
    reasons.length ? h('ul.bars', {}, reasons.map(item)) : h('p.empty', {}, 'Nothing waits.'));
}

function changeItem(change) {
  const workload = change.kind === 'workload';
  const {kind, name, namespace} = workload ? parseId(change.object) : {kind: 'Node', name: change.object, namespace: ''};
  const label = h('b', {}, name);
  const gone = change.text.startsWith('gone');
  return h('li', {}, h('time', {title: clock(change.at)}, `${duration(store.now() - change.at)} ago`),
    workload && !gone ? h('a', {href: workloadPath(change.object), 'data-link': true}, label) : label,
    h('small.dim', {}, `${kind}${namespace && ' · ' + namespace}`), h('span', {}, change.text));
}

function changesSection(o, filter) {
  const shown = o.changes.filter(change => (!filter.ns || change.object.startsWith(filter.ns + '/')) &&
                                           (!filter.q || change.object.toLowerCase().includes(filter.q.toLowerCase()))).slice(0, 12);
  const none = o.source.kind === 'snapshot' ? 'A snapshot does not change.' : `Nothing has changed since ${clock(o.started)}, when this began to watch.`;
  return h('section', {'aria-labelledby': 'changes'}, h('h2', {id: 'changes'}, 'Latest changes'),
    shown.length ? h('ol.changes', {}, shown.map(changeItem)) : h('p.empty', {}, none));
}

export const overview = {
  path: '/', title: 'Overview', sections: [],
  mount(root, context) {
    const heading = h('h1.visually-hidden', {}, 'Overview');
    const gpus = h('div'), waits = h('div'), changes = h('div');
    replace(root, heading, gpus, h('div.columns', {}, waits, changes));
    const update = () => {
      const o = store.overview;
      replace(gpus, gpuSection(o, context.filter));
      replace(waits, waitingSection(o, context.filter));
      replace(changes, changesSection(o, context.filter));
    };
    let ticks = 0;
    return {update, tick: () => { if (++ticks % 5 === 0 && store.overview) replace(changes, changesSection(store.overview, context.filter)); }};
  },
};
