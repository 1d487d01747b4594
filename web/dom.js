// Building elements: h('a.name', {href, onclick}, child, …). Nothing is ever parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  add(element, children);
  return element;
}

export function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === '') continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name || 'div');
  if (classes.length) element.className = classes.join(' ');
  return fill(element, attributes, children);
}

export function s(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElementNS(SVG, name);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  return fill(element, attributes, children);
}

export function replace(element, ...children) {
  element.replaceChildren();
  add(element, children);
}

// Sets text only if it differs, which keeps selections and saves layout.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
