/** What a permalink holds, in the fragment, which no server sees. Pure. */
import { MEASURES, ROWS } from './scale.js';

export const WINDOWS = { '10m': 600000, '1h': 3600000, '6h': 21600000, '1d': 86400000, '1w': 604800000, '5w': 3024000000 };
/** Of a recording. The board sends no more than 20 frames a second, so that faster ones would lose what was decided between. */
export const SPEEDS = [1, 5, 20];

/** Nothing asked: the last ten minutes, followed as they come. */
export const PLAIN = {
  measure: 'entities', rows: 'equal-load', window: null, table: null, times: null, keys: null, range: null, at: null, speed: null,
};

/** Reads a fragment; what it does not understand it leaves as it is without one. */
export function readLink(fragment) {
  const asked = new URLSearchParams(fragment.replace(/^#/, ''));
  const link = { ...PLAIN };
  const known = (name, among) => (Object.hasOwn(among, asked.get(name) ?? '') ? asked.get(name) : PLAIN[name]);
  link.measure = known('measure', MEASURES);
  link.rows = known('rows', ROWS);
  link.window = known('window', WINDOWS);
  link.table = whole(asked.get('table'));
  link.range = whole(asked.get('range'));
  link.at = whole(asked.get('at'));
  const speed = whole(asked.get('speed'));
  link.speed = SPEEDS.includes(speed) ? speed : null;
  link.times = pair(asked.get('times'), whole);
  link.keys = pair(asked.get('keys'), bound);
  return link;
}

/** The fragment of a view; what is as it is without one is left out. */
export function writeLink(link) {
  const parts = new URLSearchParams();
  for (const name of ['measure', 'rows', 'window', 'table', 'range', 'at', 'speed']) {
    if (link[name] !== null && link[name] !== PLAIN[name]) {
      parts.set(name, link[name]);
    }
  }
  if (link.times) {
    parts.set('times', link.times.join('~'));
  }
  if (link.keys) {
    parts.set('keys', link.keys.map((each) => (each === null ? '' : `${each[0]},${encodeURIComponent(each[1]).replaceAll('~', '%7E')}`)).join('~'));
  }
  const text = parts.toString();
  return text === '' ? '' : `#${text}`;
}

function whole(text) {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function bound(text) {
  const comma = text.indexOf(',');
  const table = comma < 0 ? null : whole(text.slice(0, comma));
  if (table === null) {
    return null;
  }
  try {
    return [table, decodeURIComponent(text.slice(comma + 1))];
  } catch {
    return null; // Cut short on its way.
  }
}

function pair(text, read) {
  const parts = text === null ? [] : text.split('~');
  if (parts.length !== 2) {
    return null;
  }
  const both = parts.map(read);
  const isWhole = both.every((each, i) => each !== null || parts[i] === '');
  return isWhole && !(both[0] === null && both[1] === null) ? both : null;
}
