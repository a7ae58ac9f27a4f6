/** Numbers, times, names and keys as people read them. Pure. */

// Controls, marks without a width, and all that turns the direction of what stands beside it; lone halves of pairs are no text.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u115f\u1160\u3164\uffa0\ufe00-\ufe0f]/gu;
const RANGE_ORDINALS = 4096;
const SHOWN_MAX = 40;

/** A tenant's key with every character that cannot be seen written as its code. */
export function escapeKey(key) {
  return key.replace(/\\(?=u\{)/g, '\\\\').replace(INVISIBLE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** A key for one line: what is shown, the whole of it, and whether these differ. */
export function keyParts(key, max = SHOWN_MAX) {
  const full = escapeKey(key);
  const points = Array.from(full);
  const isCut = points.length > max;
  return { shown: isCut ? points.slice(0, max - 1).join('') + '…' : full, full, isCut, length: Array.from(key).length };
}

/** A bound in one line: `cities from AB`. Null is the end of the key space. */
export function boundText(bound, tables, max = SHOWN_MAX) {
  if (bound === null || bound === undefined) {
    return 'the end';
  }
  const name = tableName(bound[0], tables);
  return bound[1] === '' ? `${name}, its beginning` : `${name} ${keyParts(bound[1], max).shown}`;
}

/** The name of a table. */
export function tableName(id, tables) {
  const table = tables.find((each) => each.id === id);
  return table && table.name ? escapeKey(table.name) : `table ${id}`;
}

/** The id of a range as all commands write it: the term of the leader that made it, and an ordinal. */
export function rangeName(id) {
  return typeof id === 'string' ? id : `${Math.floor(id / RANGE_ORDINALS)}.${id % RANGE_ORDINALS}`;
}

/** The number behind such a name, as cells have it; a number stays what it is. */
export function rangeNumber(name) {
  if (typeof name === 'number') {
    return name;
  }
  const [term, ordinal] = name.split('.').map(Number);
  return ordinal === undefined ? term : term * RANGE_ORDINALS + ordinal;
}

/** An integer with separators. */
export function integer(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Three figures at most, with a suffix: 12.3k. */
export function short(value) {
  const steps = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  const [size, suffix] = steps.find(([from]) => value >= from) || [1, ''];
  return threeFigures(value / size) + suffix;
}

/** Bytes in powers of 1,024. */
export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  let rest = value;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${unit === 0 ? Math.round(rest) : threeFigures(rest)} ${units[unit]}`;
}

/** A time that passes, from microseconds. */
export function micros(value) {
  if (value < 1000) {
    return `${Math.round(value)} µs`;
  }
  return value < 1e6 ? `${threeFigures(value / 1000)} ms` : `${threeFigures(value / 1e6)} s`;
}

/** A span of milliseconds in the two largest units. */
export function span(millis) {
  const seconds = Math.round(millis / 1000);
  if (Math.abs(millis) < 1000) {
    return `${Math.round(millis)} ms`;
  }
  if (seconds < 60) {
    return `${millis < 10000 ? threeFigures(millis / 1000) : seconds} s`;
  }
  const units = [['w', 604800], ['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  const first = units.findIndex(([, each]) => seconds >= each);
  const major = Math.floor(seconds / units[first][1]);
  const minor = first + 1 < units.length ? Math.floor((seconds % units[first][1]) / units[first + 1][1]) : 0;
  return `${major} ${units[first][0]}${minor ? ` ${minor} ${units[first + 1][0]}` : ''}`;
}

/** The time of day to the second, in the zone of the browser. */
export function clock(millis) {
  const at = new Date(millis);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}

/** Day and time of day. */
export function moment(millis) {
  const at = new Date(millis);
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, '0')).join('-');
  return `${day} ${clock(millis)}`;
}

/** `one`, `one and two`, `one, two and three`. */
export function listed(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** `1 range`, `2 ranges`. */
export function counted(count, noun) {
  return `${integer(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function threeFigures(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\.0+$|(\.\d*?)0+$/, '$1');
}
