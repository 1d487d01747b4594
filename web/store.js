// The model as the server last sent it, kept up to date by server-sent events. Sections are loaded when
// a view first needs them, and followed from then on.

const QUIET = 6000;  // Milliseconds without an event after which the server counts as gone.

class Store extends EventTarget {
  sections = {};  // Name to Map of rows by id.
  version = 0;
  error = null;  // {error, advice} of the last failure to load.
  lostSince = 0;
  #names = new Set();
  #stream = null;
  #retry = 0;
  #heard = Date.now();
  #loading = false;
  #again = false;

  constructor() {
    super();
    setInterval(() => this.#checkQuiet(), 1000);
    // A page that the browser keeps for going back must not hold one of its few connections.
    addEventListener('pagehide', () => this.#stream?.close());
    addEventListener('pageshow', event => { if (event.persisted) this.#load(); });
  }

  rows(section) { return this.sections[section] || new Map(); }
  has(section) { return section in this.sections; }
  get overview() { return this.rows('overview').get('overview'); }
  // Seconds since 1970: in a snapshot, time stands still.
  now() { return this.overview?.source?.now || Date.now() / 1000; }

  async need(names) {
    const missing = names.filter(name => !this.#names.has(name));
    missing.forEach(name => this.#names.add(name));
    if (missing.length) await this.#load();
  }

  // One request at a time: what is needed meanwhile is asked for afterwards.
  async #load() {
    if (this.#loading) { this.#again = true; return; }
    this.#loading = true;
    do {
      this.#again = false;
      await this.#fetch();
    } while (this.#again);
    this.#loading = false;
  }

  async #fetch() {
    const names = [...this.#names].join(',');
    this.#stream?.close();
    try {
      const state = await getJson(`/api/state?sections=${names}`);
      for (const [name, rows] of Object.entries(state.sections)) {
        this.sections[name] = new Map(rows.map(row => [row.id, row]));
      }
      this.version = state.version;
      this.error = null;
      this.#hear();
      this.#changed(Object.keys(state.sections));
      this.#follow();
    } catch (failure) {
      this.error = failure;
      this.#lose();
      if (failure.status !== 401) this.#tryLater();
    }
  }

  #follow() {
    const stream = new EventSource(`/api/changes?sections=${[...this.#names].join(',')}&since=${this.version}`);
    this.#stream?.close();
    this.#stream = stream;
    stream.onmessage = event => this.#apply(JSON.parse(event.data));
    stream.addEventListener('ping', () => this.#hear());
    stream.addEventListener('reset', () => this.#load());
    stream.onerror = () => {
      if (stream !== this.#stream) return;
      stream.close();
      this.#lose();
      this.#tryLater();
    };
  }

  #apply(delta) {
    this.#hear();
    this.version = delta.version;
    for (const [name, change] of Object.entries(delta.sections)) {
      const rows = this.sections[name] || (this.sections[name] = new Map());
      for (const id of change.del) rows.delete(id);
      for (const row of change.put) rows.set(row.id, row);
    }
    this.#changed(Object.keys(delta.sections));
  }

  #tryLater() {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#load(), 1000);
  }

  #hear() {
    this.#heard = Date.now();
    if (!this.lostSince) return;
    this.lostSince = 0;
    this.#changed([]);
  }

  #lose() {
    if (!this.lostSince) this.lostSince = this.#heard;
    this.#changed([]);
  }

  #checkQuiet() {
    if (!this.lostSince && this.version && Date.now() - this.#heard > QUIET) {
      this.#lose();
      this.#stream?.close();
      this.#tryLater();
    }
    this.dispatchEvent(new Event('tick'));
  }

  #changed(sections) { this.dispatchEvent(new CustomEvent('change', {detail: new Set(sections)})); }
}

// The answer, or throws {status, error, advice}.
export async function getJson(url) {
  let response;
  try {
    response = await fetch(url, {headers: {accept: 'application/json'}});
  } catch {
    throw {status: 0, error: 'coppice does not answer', advice: 'is it still running? This page tries again.'};
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  let problem = {};
  try { problem = JSON.parse(text); } catch { problem = {error: text.trim()}; }
  throw {status: response.status, error: problem.error || response.statusText, advice: problem.advice || ''};
}

export const store = new Store();
