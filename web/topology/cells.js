// Reads who holds which GPU of a node: "12r4;13s1;~14r0.5+15r0.25" (src/page/model/cells.h).

const parsed = new WeakMap();

// One entry per GPU: a list of {number, state, portion}; an empty list is a free GPU.
export function cellsOf(node) {
  let cells = parsed.get(node);
  if (!cells) {
    cells = read(node.cells, node.gpus);
    parsed.set(node, cells);
  }
  return cells;
}

export function read(text, gpus) {
  const cells = [];
  for (const entry of text ? text.split(';') : []) {
    if (entry.startsWith('~')) {
      cells.push(entry.slice(1).split('+').map(part));
    } else {
      const run = part(entry);
      for (let i = 0; i < Math.round(run.portion); ++i) cells.push([{...run, portion: 1}]);
    }
  }
  while (cells.length < gpus) cells.push([]);
  return cells;
}

function part(text) {
  const [, number, state, portion] = /^(\d+)([a-z])([\d.e-]+)$/.exec(text) || [null, '0', 'r', '0'];
  return {number: Number(number), state, portion: Number(portion)};
}
