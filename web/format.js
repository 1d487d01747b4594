// Numbers, times and names as people read them.

export function number(value) {
  if (!isFinite(value)) return '∞';
  if (Math.abs(value) >= 10000) return Math.round(value).toLocaleString('en');
  return String(Math.round(value * 100) / 100);
}

export function bound(value, format = number) { return value < 0 ? 'no limit' : format(value); }

export function cores(value) { return number(value); }

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; ++unit; }
  return `${value >= 100 || unit === 0 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}

export function plural(count, one, many = one + 's') { return `${number(count)} ${count === 1 ? one : many}`; }

// "42s", "5m", "3h12m", "9d".
export function duration(seconds) {
  seconds = Math.max(0, Math.round(seconds));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 10) return `${hours}h${minutes % 60 ? (minutes % 60) + 'm' : ''}`;
  if (hours < 48) return `${hours}h`;
  return `${Math.floor(hours / 24)}d`;
}

export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB');
}

export function dateTime(seconds) {
  return new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19) + ' UTC';
}

// "ns/Kind/name" in parts.
export function parseId(id) {
  const [namespace, kind, ...name] = id.split('/');
  return {namespace, kind, name: name.join('/')};
}

// "NotScheduled" as "Not scheduled"; abbreviations stay.
export function words(text) {
  if (!text || text.includes(' ')) return text || '';
  const spaced = text.replace(/([a-z])([A-Z])/g, '$1 $2');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).replace(/ ([A-Z])(?=[a-z])/g, (_, c) => ' ' + c.toLowerCase());
}

// The short name of a topology label: "rack" of "topo/rack".
export function levelName(label) { return label.split(/[/.]/).pop(); }
