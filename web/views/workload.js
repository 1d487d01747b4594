// One workload: why it waits, its pods, how it came up, its events and its YAML.
import {h, replace, s} from '../dom.js';
import {dateTime, duration, number, plural} from '../format.js';
import {phaseChip, problem, queueName, reasonChip} from '../parts.js';
import {getJson, store} from '../store.js';

const POD_SIGNS = {ready: '●', starting: '◐', pending: '○', gated: '‖', ending: '◌', done: '✓', failed: '✕'};

// ---- Why -------------------------------------------------------------------------------------------

const VERDICTS = {Runs: 'Runs', Placeable: 'Can be placed now', Waits: 'Waits', NeedsAction: 'Needs action', Never: 'Can never run here'};

function verdictText(verdict) { return VERDICTS[verdict] || verdict; }

function explanationItem(answer) {
  const list = (title, changes) => !!changes?.length && h('div.changes-needed', {}, h('b', {}, title),
    h('ul', {}, changes.map(change => h('li', {}, change.text))));
  const nodes = Object.entries(answer.nodes || {});
  return h('article.explanation-card', {}, h('h3', {}, answer.object || answer.group),
    h('p', {}, reasonChip(verdictText(answer.verdict), answer.verdict), ' ', answer.summary),
    list('The smallest change that helps', answer.changes), list('Or', answer.alternative),
    nodes.length > 0 && h('details', {}, h('summary', {}, `Nodes, by what they lack (${nodes.length})`),
                      h('ul', {}, nodes.map(([reason, count]) => h('li', {}, `${plural(count, 'node')}: ${reason}`)))),
    answer.message && h('details', {}, h('summary', {}, 'In the scheduler’s words'), h('p', {}, answer.message)));
}

// ---- Timeline --------------------------------------------------------------------------------------

function timeline(steps) {
  const times = steps.flatMap(step => (step.count ? [step.at, step.last] : []));
  const begin = Math.min(...times), span = Math.max(1, Math.max(...times) - begin);
  const item = step => {
    const line = s('svg.span', {viewBox: '0 0 1000 14', preserveAspectRatio: 'none', 'aria-hidden': 'true'}, s('rect.track', {y: 6, width: 1000, height: 2}));
    if (step.count) {
      const from = 990 * (step.at - begin) / span, to = 990 * (step.last - begin) / span;
      line.append(s('rect.part-held', {x: from, y: 2, width: Math.max(10, to - from), height: 10, rx: 3}));
    }
    const when = !step.count ? 'not yet' : step.last > step.at ? `+${duration(step.at - begin)} to +${duration(step.last - begin)}` : `+${duration(step.at - begin)}`;
    return h('li', {}, h('b', {}, step.text), h('span.dim', {}, step.of > 1 || step.count < step.of ? `${step.count} of ${step.of}` : ''), line,
             h('span', {title: step.count ? dateTime(step.at) : ''}, when));
  };
  return h('ol.timeline', {}, steps.map(item));
}

// ---- Pods ------------------------------------------------------------------------------------------

// `told`: the message of the pod before, which is not repeated.
function podItem(pod, told) {
  return h('li.pod', {}, h(`span.sign.pod-${pod.state}`, {'aria-hidden': 'true'}, POD_SIGNS[pod.state]), h('b', {}, pod.name), h('span', {}, pod.state),
    h('span.dim', {}, pod.node ? `${pod.node}${pod.path?.length ? ` (${pod.path.filter(Boolean).join(' / ')})` : ''}` : 'no node'),
    h('span.dim', {}, pod.gpus ? plural(pod.gpus, 'GPU') : ''), pod.restarts ? h('span.warn', {}, plural(pod.restarts, 'restart')) : '',
    pod.message && pod.message !== told && h('span.pod-message', {}, pod.message));
}

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) || []), item]);
  return [...groups];
}

function counts(pods) { return `${pods.filter(pod => pod.ready).length} of ${pods.length} ready`; }

function podTree(pods) {
  const branch = (name, members, content, open) => (name
    ? h('details', {open: open || undefined}, h('summary', {}, h('b', {}, name), ' ', h('span.dim', {}, counts(members))), content)
    : content);
  const few = pods.length <= 60;
  return groupBy(pods, pod => pod.gang || '').map(([gang, inGang]) => branch(gang, inGang,
    groupBy(inGang, pod => pod.group || '').map(([group, members]) => branch(group, members, h('ul.pods', {}, members.map((pod, i) => podItem(pod, members[i - 1]?.message))), few)), true));
}

// ---- The rest --------------------------------------------------------------------------------------

function eventRow(event) {
  return h('tr', {}, h('td', {title: dateTime(event.at)}, `${duration(store.now() - event.at)} ago`),
    h('td', {}, event.type === 'Warning' ? h('b.warn', {}, '! ' + event.reason) : event.reason), h('td', {}, event.object),
    h('td', {}, event.message + (event.count > 1 ? ` (${event.count} times)` : '')));
}

function events(list) {
  if (!list.length) return h('p.empty', {}, 'There are no events about it.');
  return h('div.scroll', {}, h('table', {}, h('thead', {}, h('tr', {}, ['When', 'Reason', 'About', 'Message'].map(title => h('th', {scope: 'col'}, title)))),
    h('tbody', {}, list.map(eventRow))));
}

function yaml(text, announce) {
  if (!text) return h('p.empty', {}, 'It cannot be shown.');
  const copy = () => navigator.clipboard?.writeText(text).then(() => announce('Copied'), () => announce('Copying is not allowed here'));
  return [h('button', {type: 'button', onclick: copy}, 'Copy'), h('pre', {tabindex: 0, 'aria-label': 'YAML'}, text)];
}

function header(row) {
  const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, value));
  return h('dl.facts', {}, fact('Phase', phaseChip(row.phase)), fact('Ready', `${number(row.ready)} of ${number(row.pods)}, ${number(row.min)} needed`),
    fact('GPUs', `${number(row.gpus)} held${row.asked ? `, ${number(row.asked)} wanted` : ''}`), fact('Queue', queueName(row.queue)),
    fact('Scheduler', row.scheduler || '–'), fact('Priority', number(row.priority || 0)), fact('Age', duration(store.now() - row.created)), fact('Where', row.where || '–'));
}

class WorkloadView {
  constructor(root, context) {
    this.context = context;
    const [namespace, kind, ...name] = context.parameters;
    this.id = [namespace, kind, name.join('/')].join('/');
    this.facts = h('div');
    this.why = h('div', {}, h('p.dim', {}, 'Asking…'));
    this.detail = h('div', {}, h('p.dim', {}, 'Loading…'));
    document.title = `${name.join('/')} · Coppice`;
    replace(root, h('p.crumbs', {}, h('a', {href: context.link('/workloads'), 'data-link': true}, 'Workloads'), ` / ${namespace} / ${kind}`),
      h('h1', {}, name.join('/')), this.facts,
      h('section', {'aria-labelledby': 'why'}, h('h2', {id: 'why'}, 'Why'), this.why), this.detail);
  }

  update(changed) {
    if (changed && !changed.has('workloads')) return;
    const row = store.rows('workloads').get(this.id);
    if (row && row === this.row) return;
    const gone = this.row && !row;
    this.row = row;
    replace(this.facts, row ? header(row) : gone ? h('p.notice.note', {role: 'note'}, 'It is gone. This is what it was.') : '');
    if (!gone) this.load();
  }

  // At most one question of each kind at a time; what changes meanwhile is asked again.
  async load() {
    if (this.loading) { this.again = true; return; }
    this.loading = true;
    const query = '?id=' + encodeURIComponent(this.id);
    await Promise.all([
      getJson('/api/workload' + query).then(detail => this.show(detail), failure => replace(this.detail, problem(failure))),
      getJson('/api/why' + query).then(answers => replace(this.why, answers.map(explanationItem)), failure => replace(this.why, problem(failure))),
    ]);
    this.loading = false;
    if (this.again && !this.left) { this.again = false; setTimeout(() => this.load(), 1000); }
  }

  show(detail) {
    const open = this.detail.querySelector('details.yaml')?.open;
    const section = (id, title, ...content) => h('section', {'aria-labelledby': id}, h('h2', {id}, title), content);
    replace(this.detail, detail.message && h('p.notice.note', {role: 'note'}, detail.message),
      section('steps', 'From created to ready', detail.steps?.length ? timeline(detail.steps) : h('p.empty', {}, 'Nothing has happened yet.')),
      section('pods', `Pods (${detail.pods.length})`, detail.pods.length ? podTree(detail.pods) : h('p.empty', {}, 'It has no pods.')),
      section('events', 'Events', events(detail.events)),
      h('details.yaml', {open: open || undefined}, h('summary', {}, h('h2', {}, 'YAML')), yaml(detail.yaml, this.context.announce)));
  }

  unmount() { this.left = true; }
}

export const workload = {
  title: 'Workload', sections: ['workloads'],
  matches: path => /^\/workloads\/[^/]+\/[^/]+\/.+/.test(path),
  mount: (root, context) => new WorkloadView(root, context),
};
