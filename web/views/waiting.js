// Everything that waits: why, since when, and the smallest change that helps.
import {h, replace} from '../dom.js';
import {matchesWorkload} from '../filter.js';
import {duration, number, plural} from '../format.js';
import {queueName, reasonChip, workloadName, workloadPath} from '../parts.js';
import {store} from '../store.js';
import {VirtualTable} from '../table.js';

function explanation(row) {
  return h('span.why', {}, h('span.message', {title: row.message}, row.message),
           row.change && h('span.change', {title: row.change}, h('b', {}, 'To help: '), row.change));
}

const COLUMNS = [
  {title: 'Name', class: 'wide', key: row => row.id.split('/').pop(), cell: workloadName},
  {title: 'Reason', class: 'reason', key: row => row.reason, cell: row => reasonChip(row.reason, row.verdict)},
  {title: 'Since', class: 'small', number: true, key: row => store.now() - row.since, cell: row => duration(store.now() - row.since)},
  {title: 'GPUs', class: 'small', number: true, key: row => row.asked || 0, cell: row => number(row.asked || 0)},
  {title: 'Queue', class: 'queue optional', key: row => row.queue || '~', cell: row => queueName(row.queue)},
  {title: 'Why, and what would help', class: 'explanation', cell: explanation},
];

export const waiting = {
  path: '/waiting', title: 'Waiting', sections: ['workloads'],
  mount(root, context) {
    const count = h('p.count');
    const table = new VirtualTable({
      columns: COLUMNS, rowHeight: 76, label: 'Waiting workloads', sort: {index: 2, down: true},
      link: row => context.link(workloadPath(row.id)),
      empty: () => [...store.rows('workloads').values()].some(row => row.reason)
        ? 'Nothing that waits matches the filter. Clear it to see all.' : 'Nothing waits.',
    });
    replace(root, h('div.title', {}, h('h1', {}, 'Waiting'), count), table.element);
    table.element.classList.add('tall');
    return {
      update(changed) {
        if (changed && !changed.has('workloads')) return;
        const rows = [...store.rows('workloads').values()].filter(row => row.reason && matchesWorkload(context.filter, row));
        count.textContent = `${plural(rows.length, 'workload')}, ${plural(rows.reduce((sum, row) => sum + (row.asked || 0), 0), 'GPU')}`;
        table.set(rows);
      },
      tick: () => table.tick(),
      unmount: () => table.unmount(),
    };
  },
};
