// Every workload: sets, Jobs, Deployments and others alike.
import {replace, h} from '../dom.js';
import {matchesWorkload} from '../filter.js';
import {duration, number, plural} from '../format.js';
import {phaseChip, queueName, workloadName, workloadPath} from '../parts.js';
import {store} from '../store.js';
import {VirtualTable} from '../table.js';

const ORDER = ['Failed', 'Waiting', 'Partial', 'Starting', 'Suspended', 'Ending', 'Running', 'Done'];

const COLUMNS = [
  {title: 'Name', class: 'wide', key: row => row.id.split('/').pop(), cell: workloadName},
  {title: 'Phase', class: 'phase', key: row => ORDER.indexOf(row.phase), cell: row => phaseChip(row.phase)},
  {title: 'Ready', class: 'small', number: true, key: row => row.ready, cell: row => h('span', {title: `${row.ready} ready of ${row.pods} pods; ${row.min} must run together`},
    `${number(row.ready)}/${number(row.min)}`)},
  {title: 'GPUs', class: 'small', number: true, key: row => row.gpus + (row.asked || 0),
   cell: row => number(row.gpus) + (row.asked ? ` +${number(row.asked)}` : '')},
  {title: 'Queue', class: 'queue', key: row => row.queue || '~', cell: row => queueName(row.queue)},
  {title: 'Priority', class: 'small optional', number: true, key: row => row.priority || 0, cell: row => number(row.priority || 0)},
  {title: 'Age', class: 'small', number: true, key: row => -row.created, cell: row => duration(store.now() - row.created)},
  {title: 'Where', class: 'where optional', key: row => row.where || '~', cell: row => row.where || '–'},
  {title: 'Scheduler', class: 'where rare', key: row => row.scheduler || '', cell: row => row.scheduler || '–'},
];

export const workloads = {
  path: '/workloads', title: 'Workloads', sections: ['workloads'],
  mount(root, context) {
    const count = h('p.count');
    const table = new VirtualTable({
      columns: COLUMNS, rowHeight: 48, label: 'Workloads', sort: {index: 1, down: false},
      link: row => context.link(workloadPath(row.id)),
      empty: () => store.rows('workloads').size ? 'No workload matches the filter. Clear it to see all.' : 'There are no workloads yet.',
    });
    replace(root, h('div.title', {}, h('h1', {}, 'Workloads'), count), table.element);
    return {
      update(changed) {
        if (changed && !changed.has('workloads')) return;
        const all = store.rows('workloads');
        const rows = [...all.values()].filter(row => matchesWorkload(context.filter, row));
        count.textContent = rows.length === all.size ? plural(all.size, 'workload') : `${number(rows.length)} of ${plural(all.size, 'workload')}`;
        table.set(rows);
      },
      tick: () => table.tick(),
      unmount: () => table.unmount(),
    };
  },
};
