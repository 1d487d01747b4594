// Where everything is on the map, in units of the map: nodes in racks, racks in blocks, and so on. A
// domain is as wide as makes the whole about as wide as the screen.

export const CELL = 12;  // A GPU, with its gap.
const PER_ROW = 8, NAME = 12, PAD = 8;
const TITLES = [18, 17, 16, 14];  // Height of a title, by level.

function nodeSize(node) {
  const slots = Math.max(1, Math.round(node.gpus));
  return {w: Math.min(PER_ROW, Math.max(4, slots)) * CELL + 6, h: NAME + Math.ceil(slots / PER_ROW) * CELL + 4};
}

// The domains as a tree: {name, level, children: Map, nodes: []}.
function treeOf(nodes, levels) {
  const root = {name: '', level: -1, children: new Map(), nodes: []};
  for (const node of nodes) {
    let at = root;
    node.path.forEach((name, level) => {
      const key = name || `no ${levels[level]}`;
      if (!at.children.has(key)) at.children.set(key, {name: key, level, children: new Map(), nodes: []});
      at = at.children.get(key);
    });
    at.nodes.push(node);
  }
  return root;
}

const collator = new Intl.Collator('en', {numeric: true});

// Places boxes left to right in rows of this width. Returns the size of the whole.
function flow(boxes, width, gap) {
  let x = 0, y = 0, row = 0, most = 0;
  for (const box of boxes) {
    if (x > 0 && x + box.w > width) { x = 0; y += row + gap; row = 0; }
    box.x = x;
    box.y = y;
    x += box.w + gap;
    row = Math.max(row, box.h);
    most = Math.max(most, x - gap);
  }
  return {w: most, h: y + row};
}

// The width at which the whole is closest to this shape: as many boxes in a row as that takes.
function bestWidth(boxes, gap, aspect) {
  const widest = boxes.reduce((most, box) => Math.max(most, box.w), 0);
  let best = widest, least = Infinity;
  for (let columns = 1; columns <= Math.min(boxes.length, 120); ++columns) {
    const width = columns * (widest + gap);
    const size = flow(boxes, width, gap);
    const cost = Math.max(size.w / aspect, size.h);
    if (cost < least) { least = cost; best = width; }
  }
  return best;
}

// What is inside is about square, so that the outermost may have any shape.
const INNER = 1.5;

function place(domain, aspect) {
  const children = [...domain.children.values()].sort((a, b) => collator.compare(a.name, b.name)).map(child => place(child, INNER));
  const nodes = domain.nodes.sort((a, b) => collator.compare(a.id, b.id)).map(node => ({node, ...nodeSize(node)}));
  const boxes = [...children, ...nodes];
  const title = domain.level < 0 ? 0 : TITLES[Math.min(domain.level, TITLES.length - 1)];
  const gap = children.length ? PAD : 4;
  const size = flow(boxes, bestWidth(boxes, gap, aspect), gap);
  for (const box of boxes) { box.x += PAD; box.y += title ? title + 2 : PAD; }
  const free = sum(children, 'free') + nodes.reduce((total, box) => total + (box.node.stranded ? 0 : box.node.free), 0);
  const gpus = sum(children, 'gpus') + nodes.reduce((total, box) => total + box.node.gpus, 0);
  const hole = Math.max(0, ...children.map(child => child.hole), ...nodes.map(box => (box.node.stranded ? 0 : box.node.free)));
  return {name: domain.name, level: domain.level, title, children, nodes, free, gpus, hole, count: sum(children, 'count') + nodes.length,
          w: size.w + 2 * PAD, h: size.h + PAD + (title ? title + 2 : PAD)};
}

function sum(boxes, key) { return boxes.reduce((total, box) => total + box[key], 0); }

// Coordinates from the map's corner instead of the parent's.
function shift(domain, x, y) {
  domain.x = x;
  domain.y = y;
  for (const child of domain.children) shift(child, x + child.x, y + child.y);
  for (const box of domain.nodes) { box.x += x; box.y += y; }
  return domain;
}

export function layOut(nodes, levels, aspect) {
  return shift(place(treeOf(nodes, levels), Math.max(0.5, Math.min(aspect, 3))), 0, 0);
}

// The narrowest domains, for the table.
export function racksOf(domain) {
  return domain.children.length ? domain.children.flatMap(racksOf) : [domain];
}

// What is at this point: {domain, box}. `box` is a node's.
export function find(domain, x, y) {
  const inside = box => x >= box.x && y >= box.y && x < box.x + box.w && y < box.y + box.h;
  if (!inside(domain)) return null;
  for (const child of domain.children) {
    const found = find(child, x, y);
    if (found) return found;
  }
  return {domain, box: domain.nodes.find(inside) || null};
}

export function cellAt(box, x, y) {
  const column = Math.floor((x - box.x - 3) / CELL), row = Math.floor((y - box.y - NAME) / CELL);
  return column < 0 || row < 0 || column >= PER_ROW ? -1 : row * PER_ROW + column;
}

export function cellPlace(box, index) {
  return {x: box.x + 3 + (index % PER_ROW) * CELL, y: box.y + NAME + Math.floor(index / PER_ROW) * CELL};
}
