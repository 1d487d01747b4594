// Small pieces that several views show.
import {colorOf} from './colors.js';
import {h, s} from './dom.js';
import {parseId, words} from './format.js';

// A sign for each phase: shape as well as colour.
const SIGNS = {Running: '●', Starting: '◐', Waiting: '○', Partial: '◑', Suspended: '‖', Ending: '◌', Done: '✓', Failed: '✕'};

export function phaseChip(phase) {
  return h(`span.chip.phase-${phase.toLowerCase()}`, {}, h('span.sign', {'aria-hidden': 'true'}, SIGNS[phase] || '·'), phase);
}

export function reasonChip(reason, verdict) {
  return h(`span.chip.reason${verdict === 'NeedsAction' || verdict === 'Never' ? '.needs-action' : ''}`, {title: reason}, words(reason));
}

export function queueName(queue) {
  if (!queue) return h('span.dim', {}, '–');
  const dot = s('svg.dot', {viewBox: '0 0 10 10', 'aria-hidden': 'true'}, s('rect', {width: 10, height: 10, rx: 3, fill: colorOf(queue)}));
  return h('span.queue', {}, dot, queue);
}

export function workloadName(row) {
  const {namespace, kind, name} = parseId(row.id);
  return h('span.name', {}, h('b', {}, name), h('small', {}, `${kind} · ${namespace}`));
}

export function workloadPath(id) { return '/workloads/' + encodeURI(id); }

// A bar in parts: [{value, class, label}], of a total.
export function stackedBar(parts, total, label) {
  let x = 0;
  const svg = s('svg.stacked', {viewBox: '0 0 1000 24', preserveAspectRatio: 'none', ...(label ? {role: 'img', 'aria-label': label} : {'aria-hidden': 'true'})});
  svg.append(s('rect.track', {width: 1000, height: 24}));
  for (const part of parts) {
    const width = total > 0 ? 1000 * part.value / total : 0;
    if (width > 0) svg.append(s(`rect.${part.class}`, {x, width, height: 24}, s('title', {}, part.label)));
    x += width;
  }
  return svg;
}

// What went wrong, and what to do.
export function problem(failure, advice) {
  return h('div.problem', {role: 'alert'}, h('p', {}, failure.error), h('p.dim', {}, failure.advice || advice || ''));
}
