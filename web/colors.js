// Colours for things that have none of their own. Each also has a name, a position or a pattern: colour
// never says anything alone.
import {isDark} from './theme.js';

const LIGHT = ['#2b6cb0', '#b7791f', '#2f855a', '#b83280', '#6b46c1', '#c05621', '#0f766e', '#9b2c2c', '#4a5568', '#5a7d1a'];
const DARK = ['#63a4e8', '#e0b04f', '#5fc48f', '#ec7fbf', '#a78bfa', '#f0965a', '#43c4b7', '#f38b8b', '#a3b1c6', '#a3cc4f'];

export function palette() { return isDark() ? DARK : LIGHT; }

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

const places = new Map();

// Queues get colours in the order of their names, so that few queues have different ones.
export function nameQueues(names) {
  places.clear();
  names.forEach((name, i) => places.set(name, i));
}

// The same text has the same colour in every view.
export function colorOf(text) {
  if (!text) return isDark() ? '#8793a6' : '#64748b';
  const colors = palette();
  return colors[(places.get(text) ?? hash(text)) % colors.length];
}

export const STATES = {r: 'running', s: 'starting', e: 'ending'};

export function stateColor(letter) {
  const dark = isDark();
  if (letter === 'r') return dark ? '#5fc48f' : '#2f855a';
  if (letter === 's') return dark ? '#e0b04f' : '#b7791f';
  return dark ? '#f38b8b' : '#9b2c2c';
}
