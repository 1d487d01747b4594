// The topology map: one cell per GPU, in nodes, racks and whatever is above them.
import {colorOf, STATES, stateColor} from '../colors.js';
import {h, replace, s} from '../dom.js';
import {isActive, matchesNode, matchesWorkload} from '../filter.js';
import {bytes, levelName, number, parseId, plural} from '../format.js';
import {cellsOf} from '../topology/cells.js';
import {Painter} from '../topology/draw.js';
import {cellAt, find, layOut, racksOf} from '../topology/layout.js';
import {follow} from '../topology/pointer.js';
import {workloadPath} from '../parts.js';
import {store} from '../store.js';

const MODES = {queue: 'Queue', gang: 'Workload', state: 'State'};
const STATE_TEXT = {notReady: 'not ready', cordoned: 'cordoned', tainted: 'tainted'};

function nodeText(node) {
  const state = (node.state || []).map(name => STATE_TEXT[name]).join(', ');
  return [h('b', {}, node.id), h('div', {}, `${number(node.gpus - node.free)} of ${plural(node.gpus, 'GPU')} held, ${plural(node.pods, 'pod')}`),
          h('div', {}, `CPU ${number(node.cpuHeld)} of ${number(node.cpu)}, memory ${bytes(node.memoryHeld)} of ${bytes(node.memory)}`),
          state && h('div.warn', {}, state), (node.taints || []).map(taint => h('div.dim', {}, `taint ${taint}`)),
          node.stranded && h('div.warn', {}, `free GPUs are stranded: ${node.stranded}`)];
}

function holderText(row, part) {
  const {namespace, kind, name} = parseId(row.id);
  const share = part.portion < 1 ? `${Math.round(part.portion * 100)} % of this GPU, ` : '';
  return [h('b', {}, name), h('div.dim', {}, `${kind} · ${namespace}`), h('div', {}, `${share}${STATES[part.state]}`),
          h('div', {}, `${plural(row.gpus, 'GPU')}${row.queue ? ` · queue ${row.queue}` : ''}`), row.where && h('div', {}, row.where)];
}

class MapView {
  constructor(root, context) {
    this.context = context;
    this.mode = 'queue';
    this.canvas = h('canvas.map', {tabindex: 0, role: 'img', 'aria-describedby': 'map-help'});
    this.tip = h('div.tip', {hidden: true, role: 'tooltip'});
    this.legend = h('ul.legend');
    this.racks = h('tbody');
    this.count = h('p.count');
    this.painter = new Painter(this.canvas);
    const moves = follow(this.canvas, this.painter, {
      onMove: () => { this.hideTip(); this.paint(); }, onHover: (x, y) => this.hover(x, y), onLeave: () => { this.light(null); this.hideTip(); },
      onOpen: (x, y) => this.open(x, y), onFit: () => this.fit(),
    });
    const button = (label, text, action) => h('button', {type: 'button', 'aria-label': label, title: label, onclick: action}, text);
    this.modes = h('div.segments', {role: 'group', 'aria-label': 'Colour by'}, Object.entries(MODES).map(([key, name]) =>
      h('button', {type: 'button', 'data-key': key, 'aria-pressed': String(key === this.mode), onclick: () => this.setMode(key)}, name)));
    replace(root,
      h('div.title', {}, h('h1', {}, 'Topology map'), this.count, h('span.dim', {}, 'Colour by'), this.modes,
        h('div.segments', {role: 'group', 'aria-label': 'Zoom'}, button('Zoom in', '+', moves.zoomIn), button('Zoom out', '−', moves.zoomOut),
          button('Show all', 'Fit', () => this.fit()))),
      this.legend,
      h('div.map-frame', {}, this.canvas, this.tip),
      h('p.dim', {id: 'map-help'}, 'Drag to move, scroll or press + and − to zoom, 0 to show all. Hover over a cell to see what holds it everywhere; click it to open it.'),
      h('details.racks', {}, h('summary', {}, 'The same as a table'), h('div.scroll', {}, h('table', {}, h('thead', {}, h('tr', {},
        ['Domain', 'Nodes', 'GPUs', 'Free', 'Largest hole', 'Not usable'].map(title => h('th', {scope: 'col'}, title)))), this.racks))));
    this.onResize = () => { this.fit(); };
    addEventListener('resize', this.onResize);
  }

  unmount() { removeEventListener('resize', this.onResize); }

  setMode(mode) {
    this.mode = mode;
    for (const button of this.modes.children) button.setAttribute('aria-pressed', String(button.dataset.key === mode));
    this.drawLegend();
    this.paint();
  }

  update(changed) {
    if (changed && !changed.has('nodes') && !changed.has('workloads')) return;
    const nodes = [...store.rows('nodes').values()];
    if (!changed || changed.has('workloads')) {
      this.byNumber = new Map([...store.rows('workloads').values()].map(row => [row.number, row]));
    }
    if (!changed || changed.has('nodes')) this.layOut(nodes);
    const o = store.overview;
    const summary = `${plural(nodes.length, 'node')}, ${plural(o.gpus, 'GPU')}`;
    this.count.textContent = summary;
    this.canvas.setAttribute('aria-label', `Map of ${summary}: ${number(o.held)} held. The table below says the same.`);
    this.drawLegend();
    this.paint();
  }

  layOut(nodes) {
    const shape = nodes.map(node => `${node.id} ${node.gpus} ${node.path.join('/')}`).join('\n');
    const levels = store.overview.levels.map(levelName);
    this.root = layOut(nodes, levels, this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
    if (shape !== this.shape) this.painter.fit(this.root);
    this.shape = shape;
    this.drawRacks();
  }

  fit() {
    if (!this.root) return;
    this.painter.fit(this.root);
    this.paint();
  }

  paint() {
    if (this.painting || !this.root) return;
    this.painting = true;
    requestAnimationFrame(() => {
      this.painting = false;
      const filter = this.context.filter;
      const {ns, queue, scheduler, q} = filter;
      this.painter.draw({
        root: this.root, colorBy: this.mode, byNumber: this.byNumber, lit: this.lit, filtered: isActive(filter),
        matches: row => matchesWorkload(filter, row),
        matchesNode: node => ns || queue || scheduler || !q || matchesNode(filter, node) || this.holds(node, filter),
      });
    });
  }

  holds(node, filter) {
    return cellsOf(node).some(parts => parts.some(part => {
      const row = this.byNumber.get(part.number);
      return row && matchesWorkload(filter, row);
    }));
  }

  drawLegend() {
    const dot = color => s('svg.dot', {viewBox: '0 0 10 10', 'aria-hidden': 'true'}, s('rect', {width: 10, height: 10, rx: 2, fill: color}));
    const items = [];
    if (this.mode === 'queue') {
      const used = new Set([...store.rows('workloads').values()].filter(row => row.gpus > 0).map(row => row.queue || ''));
      for (const queue of [...used].sort().slice(0, 14)) items.push(h('li', {}, dot(colorOf(queue)), queue || 'no queue'));
      if (used.size > 14) items.push(h('li', {}, `and ${used.size - 14} more`));
    } else if (this.mode === 'state') {
      for (const [letter, name] of Object.entries(STATES)) items.push(h('li', {}, dot(stateColor(letter)), name));
    } else {
      items.push(h('li', {}, 'one colour per workload'));
    }
    replace(this.legend, items, h('li.key-free', {}, 'free'), h('li', {}, '╱ starting'), h('li', {}, '╳ ending'), h('li', {}, '⊘ cordoned'),
            h('li', {}, '✕ not ready'), h('li', {}, '▲ tainted'));
  }

  drawRacks() {
    const racks = racksOf(this.root);
    const row = rack => {
      const bad = rack.nodes.filter(box => (box.node.state || []).some(state => state !== 'tainted')).length;
      return h('tr', {}, h('th', {scope: 'row'}, rack.name || 'all nodes'), [rack.count, rack.gpus, rack.free, rack.hole, bad].map(value => h('td', {}, number(value))));
    };
    replace(this.racks, racks.slice(0, 500).map(row));
    if (racks.length > 500) this.racks.append(h('tr', {}, h('td', {colspan: 6}, `and ${racks.length - 500} more`)));
  }

  at(px, py) {
    if (!this.root) return null;
    const {scale, x, y} = this.painter.view;
    const ux = px / scale + x, uy = py / scale + y;
    const found = find(this.root, ux, uy);
    if (!found?.box) return found;
    const {node} = found.box;
    const parts = cellsOf(node)[cellAt(found.box, ux, uy)] || [];
    return {...found, node, part: parts[0], parts};
  }

  hover(px, py) {
    const found = this.at(px, py);
    const row = found?.part && this.byNumber.get(found.part.number);
    this.light(row ? row.number : null);
    this.canvas.classList.toggle('over-cell', !!row);
    if (!found || (!found.node && found.domain.level < 0)) return this.hideTip();
    const {domain} = found;
    const content = row ? [found.parts.map(part => { const each = this.byNumber.get(part.number); return each && holderText(each, part); }), h('hr'), nodeText(found.node)]
      : found.node ? nodeText(found.node)
      : [h('b', {}, domain.name), h('div', {}, `${plural(domain.count, 'node')}, ${plural(domain.gpus, 'GPU')}`),
         h('div', {}, `${number(domain.free)} free, largest hole ${number(domain.hole)}`)];
    this.showTip(px, py, content);
  }

  showTip(px, py, content) {
    replace(this.tip, content);
    this.tip.hidden = false;
    const room = this.canvas.clientWidth - this.tip.offsetWidth - 8;
    this.tip.style.left = `${Math.max(0, Math.min(px + 14, room))}px`;
    const below = py + 18 + this.tip.offsetHeight < this.canvas.clientHeight;
    this.tip.style.top = `${below ? py + 18 : Math.max(0, py - this.tip.offsetHeight - 10)}px`;
  }

  hideTip() { this.tip.hidden = true; }

  light(number) {
    if (this.lit === number) return;
    this.lit = number;
    this.paint();
  }

  open(px, py) {
    const found = this.at(px, py);
    const row = found?.part && this.byNumber.get(found.part.number);
    if (row) this.context.navigate(this.context.link(workloadPath(row.id)));
  }
}

export const map = {
  path: '/map', title: 'Map', sections: ['nodes', 'workloads', 'queues'],
  mount: (root, context) => new MapView(root, context),
};
