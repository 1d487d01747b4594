// A table that draws only the rows in sight, so that tens of thousands stay smooth.
import {add, h, replace, setText} from './dom.js';

const AROUND = 8;  // Rows drawn beyond the edges.

// columns: [{title, key(row) to sort by, cell(row) → node or text, class, number}]. `rowHeight` in pixels.
// link(row): where Enter and a click lead.
export class VirtualTable {
  constructor({columns, rowHeight, label, link, navigate, sort, empty}) {
    Object.assign(this, {columns, rowHeight, link, navigate, empty});
    this.sort = sort;  // {index, down}
    this.rows = [];
    this.drawn = new Map();  // Row id to {element, row, index}.
    this.head = h('div.row.head', {role: 'row'}, columns.map((column, i) => this.#headCell(column, i)));
    this.body = h('div.rows', {role: 'rowgroup'});
    this.none = h('p.empty', {hidden: true});
    this.element = h('div.table', {role: 'table', 'aria-label': label}, h('div', {role: 'rowgroup'}, this.head), this.body, this.none);
    this.onScroll = () => this.#draw();
    addEventListener('scroll', this.onScroll, {passive: true});
    addEventListener('resize', this.onScroll);
  }

  unmount() {
    removeEventListener('scroll', this.onScroll);
    removeEventListener('resize', this.onScroll);
  }

  #headCell(column, index) {
    const cell = h(`div.cell.${column.class || 'plain'}`, {role: 'columnheader'});
    if (!column.key) { add(cell, [column.title]); return cell; }
    cell.append(h('button.sort', {type: 'button', onclick: () => this.#sortBy(index)}, column.title, h('span', {'aria-hidden': 'true'})));
    return cell;
  }

  #sortBy(index) {
    const same = this.sort.index === index;
    this.sort = {index, down: same ? !this.sort.down : !!this.columns[index].number};
    this.set(this.rows);
  }

  set(rows) {
    const {key} = this.columns[this.sort.index];
    const keyed = rows.map(row => [key(row), row]);
    const sign = this.sort.down ? -1 : 1;
    keyed.sort((a, b) => sign * (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) || (a[1].id < b[1].id ? -1 : 1));
    this.rows = keyed.map(pair => pair[1]);
    this.body.style.height = `${this.rows.length * this.rowHeight}px`;
    this.element.setAttribute('aria-rowcount', this.rows.length + 1);
    this.none.hidden = this.rows.length > 0;
    if (!this.rows.length) setText(this.none, this.empty());
    [...this.head.children].forEach((cell, i) => {
      const sorted = i === this.sort.index;
      cell.setAttribute('aria-sort', sorted ? (this.sort.down ? 'descending' : 'ascending') : 'none');
      const sign = cell.querySelector('span');
      if (sign) setText(sign, sorted ? (this.sort.down ? ' ↓' : ' ↑') : '');
    });
    this.#draw();
  }

  // Ages and the like.
  tick() { for (const drawn of this.drawn.values()) this.#fill(drawn); }

  #draw() {
    const top = -this.body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - AROUND);
    const last = Math.min(this.rows.length, Math.ceil((top + innerHeight) / this.rowHeight) + AROUND);
    const wanted = new Set();
    for (let i = first; i < last; ++i) wanted.add(this.rows[i].id);
    for (const [id, drawn] of this.drawn) {
      if (wanted.has(id)) continue;
      drawn.element.remove();
      this.drawn.delete(id);
    }
    for (let i = first; i < last; ++i) this.#place(this.rows[i], i);
  }

  #place(row, index) {
    let drawn = this.drawn.get(row.id);
    if (!drawn) {
      const element = h('a.row', {role: 'row', href: this.link(row), 'data-link': true},
                        this.columns.map(column => h(`div.cell.${column.class || 'plain'}`, {role: 'cell'})));
      drawn = {element, row: null, index: -1};
      this.drawn.set(row.id, drawn);
      this.body.append(element);
    }
    if (drawn.index !== index) {
      drawn.index = index;
      drawn.element.style.transform = `translateY(${index * this.rowHeight}px)`;
      drawn.element.setAttribute('aria-rowindex', index + 2);
    }
    if (drawn.row === row) return;
    drawn.row = row;
    this.#fill(drawn);
  }

  #fill({element, row}) {
    this.columns.forEach((column, i) => {
      const content = column.cell(row);
      const cell = element.children[i];
      if (content instanceof Node) replace(cell, content);
      else setText(cell, String(content ?? ''));
    });
    element.setAttribute('href', this.link(row));
  }
}
