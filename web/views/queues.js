// The queue tree, with bars for what each may have and has.
import {colorOf} from '../colors.js';
import {h, replace} from '../dom.js';
import {bound, bytes, cores, number, plural} from '../format.js';
import {store} from '../store.js';

const RESOURCES = {gpu: ['GPU', number, 'GPUs'], cpu: ['CPU', cores, 'cores'], memory: ['Memory', bytes, '']};

// Parents before children, whatever is at the top first.
function inTreeOrder(rows) {
  const children = new Map();
  for (const row of rows.values()) {
    const parent = rows.has(row.parent) ? row.parent : '';
    children.set(parent, [...(children.get(parent) || []), row]);
  }
  const out = [], seen = new Set();
  const visit = (parent, depth) => {
    for (const row of children.get(parent) || []) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      out.push({row, depth});
      visit(row.id, depth + 1);
    }
  };
  visit('', 0);
  for (const row of rows.values()) if (!seen.has(row.id)) out.push({row, depth: 0});
  return out;
}

function bar(amount, scale, color, format) {
  const at = value => Math.min(100, 100 * value / scale);
  const over = amount.quota >= 0 ? Math.max(0, amount.held - amount.quota) : 0;
  const text = [`held ${format(amount.held)}`, `asked for ${format(amount.asked)}`, `quota ${bound(amount.quota, format)}`,
                amount.fairShare === undefined ? '' : `fair share ${format(amount.fairShare)}`, `limit ${bound(amount.limit, format)}`,
                over > 0 ? `${format(over)} over quota` : ''].filter(Boolean).join(', ');
  const element = h('div.queue-bar', {role: 'img', 'aria-label': text, title: text});
  const part = (kind, from, to, fill) => {
    if (to <= from) return;
    const piece = h(`span.${kind}`);
    piece.style.left = `${at(from)}%`;
    piece.style.width = `${at(to) - at(from)}%`;
    if (fill) piece.style.background = fill;
    element.append(piece);
  };
  const mark = (kind, value) => {
    const piece = h(`span.mark-${kind}`);
    piece.style.left = `${at(value)}%`;
    element.append(piece);
  };
  part('bar-asked', amount.held, amount.asked);
  part('bar-held', 0, amount.held - over, color);
  part('bar-over', amount.held - over, amount.held);
  if (amount.limit >= 0) mark('limit', amount.limit);
  if (amount.quota > 0) mark('quota', amount.quota);
  if (amount.fairShare !== undefined) mark('fair', amount.fairShare);
  return element;
}

function figures(amount, format) {
  const item = (name, value, kind = '') => h(`div${kind && '.' + kind}`, {}, h('dt', {}, name), h('dd', {}, value));
  const over = amount.quota >= 0 ? amount.held - amount.quota : 0;
  return h('dl.figures', {}, item('held', format(amount.held)), item('asked', format(amount.asked)),
           item('quota', amount.quota < 0 ? '∞' : format(amount.quota)),
           item('fair share', amount.fairShare === undefined ? '–' : format(amount.fairShare)),
           item('limit', amount.limit < 0 ? '∞' : format(amount.limit)),
           item('over quota', over > 0 ? format(over) : '–', over > 0 ? 'over' : ''));
}

function legend() {
  return h('ul.legend', {}, h('li.key-held', {}, 'held'), h('li.key-over', {}, 'held over quota'), h('li.key-asked', {}, 'asked for'),
           h('li.key-quota', {}, 'quota'), h('li.key-fair', {}, 'fair share'), h('li.key-limit', {}, 'limit'));
}

export const queues = {
  path: '/queues', title: 'Queues', sections: ['queues'],
  mount(root, context) {
    let resource = 'gpu';
    const list = h('ul.queue-tree', {'aria-label': 'Queues'}), count = h('p.count');
    const buttons = h('div.segments', {role: 'group', 'aria-label': 'Resource'});
    for (const [key, [title]] of Object.entries(RESOURCES)) {
      buttons.append(h('button', {type: 'button', 'aria-pressed': String(key === resource),
                                  onclick: () => { resource = key; update(); }, 'data-key': key}, title));
    }
    replace(root, h('div.title', {}, h('h1', {}, 'Queues'), count, buttons), legend(), list);
    const item = ({row, depth}, scale) => {
      const [, format] = RESOURCES[resource];
      const node = h('li', {'aria-label': row.id},
        h('div.queue-name', {}, h('a', {href: '/workloads?queue=' + encodeURIComponent(row.id), 'data-link': true}, row.id),
          h('small.dim', {}, row.kind === 'Queue' ? `priority ${number(row.priority)}, weight ${number(row[resource].weight)}` : `Kueue${row.parent ? ', cohort ' + row.parent : ''}`)),
        bar(row[resource], scale, colorOf(row.id), format), figures(row[resource], format));
      node.style.setProperty('--depth', depth);
      return node;
    };
    const update = changed => {
      if (changed && !changed.has('queues')) return;
      const {queue, q} = context.filter;
      for (const button of buttons.children) button.setAttribute('aria-pressed', String(button.dataset.key === resource));
      const rows = inTreeOrder(store.rows('queues'));
      const shown = rows.filter(({row}) => (!queue || row.id === queue) && (!q || row.id.toLowerCase().includes(q.toLowerCase())));
      const scale = Math.max(1e-9, ...rows.map(({row}) => {
        const a = row[resource];
        return Math.max(a.held, a.asked, a.quota, a.fairShare || 0, a.limit);
      }));
      count.textContent = plural(rows.length, 'queue');
      replace(list, shown.map(entry => item(entry, scale)));
      if (!rows.length) replace(list, h('li.empty', {}, 'The cluster has no queues (neither KAI Queues nor Kueue ClusterQueues), or you may not list them.'));
      else if (!shown.length) replace(list, h('li.empty', {}, 'No queue matches the filter. Clear it to see all.'));
    };
    return {update};
  },
};
