// What is shown: namespace, queue, scheduler and text. Kept in the URL, so that a view can be shared.
import {parseId} from './format.js';

const KEYS = ['ns', 'queue', 'scheduler', 'q'];

export function readFilter() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(KEYS.map(key => [key, query.get(key) || '']));
}

export function isActive(filter) { return KEYS.some(key => filter[key]); }

// "?ns=a&q=b", or "".
export function queryOf(filter) {
  const query = new URLSearchParams();
  for (const key of KEYS) if (filter[key]) query.set(key, filter[key]);
  const text = query.toString();
  return text ? '?' + text : '';
}

export function matchesWorkload(filter, row) {
  if (filter.ns && parseId(row.id).namespace !== filter.ns) return false;
  if (filter.queue && (row.queue || '') !== filter.queue) return false;
  if (filter.scheduler && row.scheduler !== filter.scheduler) return false;
  return !filter.q || textOf(row).includes(filter.q.toLowerCase());
}

const texts = new WeakMap();
function textOf(row) {
  let text = texts.get(row);
  if (!text) {
    text = [row.id, row.queue, row.phase, row.reason, row.where, row.message].join(' ').toLowerCase();
    texts.set(row, text);
  }
  return text;
}

export function matchesNode(filter, row) {
  return !filter.q || [row.id, ...row.path, ...(row.state || [])].join(' ').toLowerCase().includes(filter.q.toLowerCase());
}

// The values to choose from.
export function choices(workloads) {
  const found = {ns: new Set(), queue: new Set(), scheduler: new Set()};
  for (const row of workloads.values()) {
    found.ns.add(parseId(row.id).namespace);
    if (row.queue) found.queue.add(row.queue);
    if (row.scheduler) found.scheduler.add(row.scheduler);
  }
  return Object.fromEntries(Object.entries(found).map(([key, values]) => [key, [...values].sort()]));
}
