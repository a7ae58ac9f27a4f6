/** The key space as buckets between cuts, `[table id, partition key]`, and columns carried from one axis to another. Pure. */

/** The order of the key space: table ids, then the bytes of UTF-8, which is the order of code points and not that of JavaScript. */
export function compareKeys(a, b) {
  return a[0] !== b[0] ? a[0] - b[0] : compareText(a[1], b[1]);
}

function compareText(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) {
      return rank(left) - rank(right);
    }
  }
  return a.length - b.length;
}

/** Halves of pairs stand for code points above all others. */
function rank(unit) {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The bucket that a key is in: how many cuts are not after it. */
export function bucketOf(cuts, key) {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(cuts[middle], key) <= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The bounds of a bucket; null is an end of the key space. */
export function boundsOf(cuts, bucket) {
  return [bucket === 0 ? null : cuts[bucket - 1], bucket < cuts.length ? cuts[bucket] : null];
}

/**
 * For each bucket of one axis the first and the last row of another that it has keys in. Hashes of keys have no order, but stand in the order
 * of their keys: of these, a cut that the rows do not have is taken for the one before it.
 */
export function overlaps(cuts, rowCuts, isHashed = false) {
  if (isHashed) {
    return overlapsOfHashes(cuts, rowCuts);
  }
  const first = new Int32Array(cuts.length + 1);
  const last = new Int32Array(cuts.length + 1);
  for (let bucket = 0; bucket <= cuts.length; bucket++) {
    first[bucket] = bucket === 0 ? 0 : bucketOf(rowCuts, cuts[bucket - 1]);
    last[bucket] = bucket < cuts.length ? lastBefore(rowCuts, cuts[bucket]) : rowCuts.length;
  }
  return { first, last };
}

function overlapsOfHashes(cuts, rowCuts) {
  const places = new Map(rowCuts.map((cut, i) => [cut.join(), i + 1]));
  const begins = [0];
  for (const cut of cuts) {
    begins.push(places.get(cut.join()) ?? begins[begins.length - 1]);
  }
  begins.push(rowCuts.length + 1);
  const first = Int32Array.from(begins.slice(0, -1));
  const last = first.map((row, bucket) => Math.max(row, begins[bucket + 1] - 1));
  return { first, last };
}

/** The last row that has keys before a bound. */
function lastBefore(rowCuts, bound) {
  const row = bucketOf(rowCuts, bound);
  return row > 0 && compareKeys(rowCuts[row - 1], bound) === 0 ? row - 1 : row;
}

/**
 * One column of buckets as a column of rows. What adds is divided evenly among the rows that a bucket has keys in, for nothing is known of
 * where in it they lie; of means the greatest counts.
 */
export function spread(values, { first, last }, rows, adds) {
  const column = new Float64Array(rows).fill(NaN);
  for (let bucket = 0; bucket < values.length; bucket++) {
    const value = values[bucket];
    if (value === null) {
      continue;
    }
    const part = adds ? value / (last[bucket] - first[bucket] + 1) : value;
    for (let row = first[bucket]; row <= last[bucket]; row++) {
      const there = column[row];
      column[row] = Number.isNaN(there) ? part : adds ? there + part : Math.max(there, part);
    }
  }
  return column;
}

/** Labels of buckets (owners, ranges) as labels of rows: that of the last bucket that begins in the row or before it. */
export function labels(values, { first }, rows) {
  const found = new Array(rows).fill(values[0]);
  for (let bucket = 0; bucket < values.length; bucket++) {
    const end = bucket + 1 < values.length ? first[bucket + 1] : rows;
    found.fill(values[bucket], first[bucket], Math.max(end, first[bucket] + 1));
  }
  return found;
}

/** Equal neighbours as runs: `[value, from, to)`. */
export function runs(values) {
  const found = [];
  for (let i = 0; i < values.length; i++) {
    if (found.length > 0 && found[found.length - 1][0] === values[i]) {
      found[found.length - 1][2] = i + 1;
    } else {
      found.push([values[i], i, i + 1]);
    }
  }
  return found;
}

/** The tables along the rows, each with the rows that begin in it; `first` is the table that the rows begin in. */
export function bands(cuts, first) {
  const ids = [first, ...cuts.map((cut) => cut[0])];
  return runs(ids).map(([id, from, to]) => ({ id, from, to }));
}

/** The rows between two keys, either of which may be null for an end: `[from, to)`, at least one. Of hashes only cuts are found. */
export function rowsBetween(rowCuts, from, to, isHashed = false) {
  if (isHashed) {
    const place = (key, otherwise) => rowCuts.findIndex((cut) => key !== null && cut.join() === key.join()) + 1 || otherwise;
    const begin = place(from, 0);
    return [begin, Math.max(begin + 1, place(to, rowCuts.length + 1))];
  }
  const first = from === null ? 0 : bucketOf(rowCuts, from);
  const last = to === null ? rowCuts.length : lastBefore(rowCuts, to);
  return [first, Math.max(first, last) + 1];
}

/**
 * Columns that share a pixel: the first and last column of each slot, whose width is at least a pixel. Nothing is dropped: a slot shows
 * the greatest of its values.
 */
export function slotsOf(times, spans, from, to, pixels) {
  const slots = [];
  const perPixel = (to - from) / pixels;
  for (let i = 0; i < times.length; i++) {
    const begin = times[i] - spans[i];
    if (times[i] <= from || begin >= to) {
      continue;
    }
    const open = slots[slots.length - 1];
    if (open && times[i] - open.begin <= perPixel && begin - open.end <= perPixel) {
      open.last = i;
      open.end = times[i];
    } else {
      slots.push({ first: i, last: i, begin, end: times[i] });
    }
  }
  return slots;
}
