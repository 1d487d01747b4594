// Draws the map. Only what is in sight, and no more detail than can be seen.
import {colorOf, stateColor} from '../colors.js';
import {number} from '../format.js';
import {cellsOf} from './cells.js';
import {CELL, cellPlace} from './layout.js';

const SIZE = CELL - 2;

export class Painter {
  // scene: {root, colorBy, byNumber, matches(row), lit (a workload's number), filtered}
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.view = {scale: 1, x: 0, y: 0};  // Pixels = (units - x, y) * scale.
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    const {clientWidth, clientHeight} = this.canvas;
    if (this.canvas.width !== Math.round(clientWidth * ratio)) this.canvas.width = Math.round(clientWidth * ratio);
    if (this.canvas.height !== Math.round(clientHeight * ratio)) this.canvas.height = Math.round(clientHeight * ratio);
    this.ratio = ratio;
  }

  fit(root) {
    const {clientWidth, clientHeight} = this.canvas;
    const scale = Math.min(clientWidth / root.w, clientHeight / root.h, 2.6);
    this.view = {scale, x: root.x - (clientWidth / scale - root.w) / 2, y: root.y - Math.max(0, (clientHeight / scale - root.h) / 2)};
  }

  draw(scene) {
    this.resize();
    this.scene = scene;
    this.colors = readColors(this.canvas);
    this.fills = new Map();
    const {context, ratio} = this;
    const {scale, x, y} = this.view;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    context.setTransform(ratio * scale, 0, 0, ratio * scale, -x * ratio * scale, -y * ratio * scale);
    this.window = {x, y, w: this.canvas.clientWidth / scale, h: this.canvas.clientHeight / scale};
    this.#domain(scene.root);
  }

  #visible(box) {
    const w = this.window;
    return box.x < w.x + w.w && box.y < w.y + w.h && box.x + box.w > w.x && box.y + box.h > w.y;
  }

  #domain(domain) {
    if (!this.#visible(domain)) return;
    const {context, colors} = this;
    if (domain.level >= 0) {
      context.fillStyle = domain.level % 2 ? colors.domainOdd : colors.domain;
      context.strokeStyle = colors.line;
      context.lineWidth = 1 / this.view.scale;
      context.beginPath();
      context.roundRect(domain.x, domain.y, domain.w, domain.h, 4);
      context.fill();
      context.stroke();
      this.#title(domain);
    }
    domain.children.forEach(child => this.#domain(child));
    domain.nodes.forEach(box => { if (this.#visible(box)) this.#node(box); });
  }

  #title(domain) {
    const {context, colors, view} = this;
    const size = Math.min(domain.title * 0.72, 15 / view.scale);
    if (size * view.scale < 7) return;
    const free = domain.free ? `${number(domain.free)} free, largest hole ${number(domain.hole)}` : 'full';
    context.font = `600 ${size}px ${colors.font}`;
    context.fillStyle = colors.text;
    const room = domain.w - 16;
    const y = domain.y + 5 + size * 0.85;
    const name = this.#shorten(domain.name, room);
    context.fillText(name, domain.x + 8, y);
    const used = context.measureText(name + ' ').width;
    context.font = `${size * 0.9}px ${colors.font}`;
    context.fillStyle = colors.dim;
    for (const text of [free, domain.free ? `${number(domain.free)} free` : '']) {
      if (!text || used + context.measureText(text).width > room) continue;
      context.fillText(text, domain.x + 8 + used + size * 0.4, y);
      break;
    }
  }

  #shorten(text, room) {
    if (this.context.measureText(text).width <= room) return text;
    while (text.length > 1 && this.context.measureText(text + '…').width > room) text = text.slice(0, -1);
    return text + '…';
  }

  #node(box) {
    const {context, colors, view} = this;
    const {node} = box;
    const state = node.state || [];
    const down = state.includes('notReady'), cordoned = state.includes('cordoned');
    const detail = CELL * view.scale;
    context.globalAlpha = this.scene.matchesNode(node) ? 1 : 0.35;
    context.fillStyle = colors.node;
    context.fillRect(box.x, box.y, box.w, box.h);
    if (down || cordoned) {
      context.lineWidth = 1.5;
      context.strokeStyle = down ? colors.bad : colors.warn;
      context.setLineDash(down ? [] : [4, 3]);
      context.strokeRect(box.x + 1, box.y + 1, box.w - 2, box.h - 2);
      context.setLineDash([]);
    }
    if (detail >= 9) this.#nodeName(box, state);
    if (!node.gpus) this.#withoutGpus(box);
    const cells = cellsOf(node);
    for (let i = 0; i < cells.length; ++i) this.#cell(cellPlace(box, i), cells[i], node, detail);
    context.globalAlpha = 1;
  }

  #nodeName(box, state) {
    const {context, colors} = this;
    const signs = (state.includes('notReady') ? '✕' : '') + (state.includes('cordoned') ? '⊘' : '') + (state.includes('tainted') ? '▲' : '');
    context.font = `8px ${colors.font}`;
    context.fillStyle = state.includes('notReady') ? colors.bad : state.includes('cordoned') ? colors.warn : colors.dim;
    context.fillText(this.#shorten((signs && signs + ' ') + box.node.id, box.w - 6), box.x + 3, box.y + 9);
  }

  #withoutGpus(box) {
    const {context, colors} = this;
    context.font = `7px ${colors.font}`;
    context.fillStyle = colors.dim;
    context.fillText('no GPUs', box.x + 4, box.y + 20);
  }

  #cell({x, y}, parts, node, detail) {
    const {context, colors, scene} = this;
    if (!parts.length) {
      context.globalAlpha = scene.lit ? 0.35 : 1;
      if (detail < 3) return;
      context.strokeStyle = node.stranded ? colors.warn : colors.free;
      context.lineWidth = Math.max(0.8, 0.8 / this.view.scale);
      context.strokeRect(x + 0.6, y + 0.6, SIZE - 1.2, SIZE - 1.2);
      if (node.stranded && detail >= 6) this.#line(x + 2, y + SIZE - 2, x + SIZE - 2, y + 2, colors.warn, 1);
      context.globalAlpha = 1;
      return;
    }
    let top = y;
    for (const part of parts) {
      const height = SIZE * Math.min(1, part.portion || 0.1);
      context.globalAlpha = this.#strength(part);
      context.fillStyle = this.#fill(part);
      context.fillRect(x, top, SIZE, height - (parts.length > 1 ? 0.5 : 0));
      if (detail >= 6 && part.state !== 'r') this.#pattern(x, top, height, part.state);
      top += height;
    }
    if (parts.length > 1 || parts[0].portion < 1) {
      context.globalAlpha = 1;
      context.strokeStyle = colors.free;
      context.lineWidth = 0.8;
      context.strokeRect(x + 0.4, y + 0.4, SIZE - 0.8, SIZE - 0.8);
    }
    context.globalAlpha = 1;
  }

  // What starts is striped once, what ends is crossed out.
  #pattern(x, y, height, state) {
    this.#line(x + 1, y + height - 1, x + SIZE - 1, y + 1, this.colors.node, 1.6);
    if (state === 'e') this.#line(x + 1, y + 1, x + SIZE - 1, y + height - 1, this.colors.node, 1.6);
  }

  #line(x1, y1, x2, y2, color, width) {
    const {context} = this;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }

  #strength(part) {
    const {lit, byNumber, filtered, matches} = this.scene;
    if (lit) return part.number === lit ? 1 : 0.15;
    if (!filtered) return 1;
    const row = byNumber.get(part.number);
    return row && matches(row) ? 1 : 0.15;
  }

  #fill(part) {
    const {colorBy, byNumber} = this.scene;
    if (colorBy === 'state') return stateColor(part.state);
    let fill = this.fills.get(part.number);
    if (!fill) {
      const row = byNumber.get(part.number);
      fill = colorOf(row ? (colorBy === 'queue' ? row.queue : row.id) : '');
      this.fills.set(part.number, fill);
    }
    return fill;
  }
}

function readColors(element) {
  const style = getComputedStyle(element);
  const get = name => style.getPropertyValue(name).trim();
  return {text: get('--text'), dim: get('--dim'), line: get('--line'), domain: get('--raised'), domainOdd: get('--sunken'),
          node: get('--page'), free: get('--free'), warn: get('--warn'), bad: get('--bad'), font: 'system-ui, sans-serif'};
}
