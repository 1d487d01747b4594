// Moving around the map: drag, wheel, pinch, keys.

const MOST = 12, STEP = 1.3;

export function follow(canvas, painter, {onMove, onHover, onLeave, onOpen, onFit}) {
  const pointers = new Map();
  let moved = 0, spread = 0;

  const zoom = (factor, px, py) => {
    const view = painter.view;
    const scale = Math.min(MOST, Math.max(0.02, view.scale * factor));
    view.x += px / view.scale - px / scale;
    view.y += py / view.scale - py / scale;
    view.scale = scale;
    onMove();
  };
  const pan = (dx, dy) => {
    painter.view.x -= dx / painter.view.scale;
    painter.view.y -= dy / painter.view.scale;
    onMove();
  };
  const at = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const distance = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };

  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), ...at(event));
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    moved = 0;
    if (pointers.size === 2) spread = distance();
  });
  canvas.addEventListener('pointermove', event => {
    const place = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) return onHover(...place, event);
    pointers.set(event.pointerId, place);
    moved += Math.abs(place[0] - before[0]) + Math.abs(place[1] - before[1]);
    if (pointers.size === 1) return pan(place[0] - before[0], place[1] - before[1]);
    const now = distance();
    zoom(now / spread, ...place);
    spread = now;
  });
  const end = event => {
    const pressed = pointers.delete(event.pointerId);
    if (!pressed || moved > 6 || event.type !== 'pointerup') return;
    onHover(...at(event), event);
    if (event.pointerType === 'mouse') onOpen(...at(event));
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('pointerleave', onLeave);
  canvas.addEventListener('keydown', event => {
    const step = 60, middle = [canvas.clientWidth / 2, canvas.clientHeight / 2];
    const action = {ArrowLeft: () => pan(step, 0), ArrowRight: () => pan(-step, 0), ArrowUp: () => pan(0, step), ArrowDown: () => pan(0, -step),
                    '+': () => zoom(STEP, ...middle), '=': () => zoom(STEP, ...middle), '-': () => zoom(1 / STEP, ...middle), '0': onFit}[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
  return {zoomIn: () => zoom(STEP, canvas.clientWidth / 2, canvas.clientHeight / 2),
          zoomOut: () => zoom(1 / STEP, canvas.clientWidth / 2, canvas.clientHeight / 2)};
}
