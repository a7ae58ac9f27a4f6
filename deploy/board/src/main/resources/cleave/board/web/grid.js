/** A map's columns: kept, appended, looked up, and told as a table. Without DOM. */
import { bucketOf, boundsOf, overlaps, rowsBetween, spread } from './axis.js';
import { MEASURES } from './scale.js';

/** Columns above this are fetched anew, in the coarser layers of the board. */
const COLUMNS_MAX = 2400;

/** The answer to a view, and the columns that came since. */
export class Grid {
  /** `order` says how the rows are cut; `table` is the id of the only table that they are of, or null. */
  constructor(view, measure, { order = 'equal-load', table = null, isHashed = false } = {}) {
    this.tables = view.tables;
    this.cuts = view.cuts;
    this.rows = view.cuts.length + 1;
    this.measure = measure;
    this.order = order;
    this.only = table;
    this.isHashed = isHashed;
    this.first = table ?? (view.tables.length > 0 ? view.tables[0].id : 0);
    this.isEven = !view.heights;
    this.edges = edgesOf(this.rows, view.heights ?? null);
    this.times = [...view.times];
    this.spans = [...view.spans];
    this.columns = view.values.map((column) => Float64Array.from(column, (value) => (value === null ? NaN : value)));
    this.axis = null;
    this.way = null;
  }

  get end() {
    return this.times.length > 0 ? this.times[this.times.length - 1] : 0;
  }

  /** The time of the newest column that knows anything; 0 if none does. */
  get knownAt() {
    for (let i = this.columns.length - 1; i >= 0; i--) {
      if (this.columns[i].some((value) => !Number.isNaN(value))) {
        return this.times[i];
      }
    }
    return 0;
  }

  get isFull() {
    return this.times.length > COLUMNS_MAX;
  }

  /** Appends a frame's cells; false if the column is known already. */
  append(model) {
    if (model.t <= this.end || !model.cells || !model.cells[this.measure]) {
      return false;
    }
    this.columns.push(this.carried(model, model.cells[this.measure], MEASURES[this.measure].adds));
    this.times.push(model.t);
    this.spans.push(model.span);
    return true;
  }

  carried(model, values, adds) {
    const [from, to] = this.only === null ? [0, values.length] : bucketsOf(model.axis.cuts, this.only);
    return spread(values.map((value, i) => (i >= from && i < to ? value : null)), this.wayOf(model.axis), this.rows, adds);
  }

  /** How the buckets of a frame lie on the rows. */
  wayOf(axis) {
    if (this.axis !== axis) {
      this.axis = axis;
      this.way = overlaps(axis.cuts, this.cuts, this.isHashed);
    }
    return this.way;
  }

  /** The bounds of a row; null is an end of the key space, or of the only table the end. */
  bounds(row) {
    const [from, to] = boundsOf(this.cuts, row);
    return [from === null && this.only !== null ? [this.only, ''] : from, to];
  }

  /** The rows between two keys. */
  rowsBetween(from, to) {
    return rowsBetween(this.cuts, from, to, this.isHashed);
  }

  /** The row at a part of the height, 0 to 1. */
  rowAt(part) {
    let low = 0;
    let high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.edges[middle] <= part) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The greatest value of a block of cells, with the row and the column that have it; NaN if none is known. */
  greatest(firstColumn, lastColumn, fromRow, toRow) {
    let best = { value: NaN, row: fromRow, column: lastColumn };
    for (let column = firstColumn; column <= lastColumn; column++) {
      const values = this.columns[column];
      for (let row = fromRow; row < toRow; row++) {
        if (values[row] > best.value || (Number.isNaN(best.value) && !Number.isNaN(values[row]))) {
          best = { value: values[row], row, column };
        }
      }
    }
    return best;
  }

  /** One number a column over some rows: their sum, or of means the greatest; null where nothing is known. */
  totals(fromRow, toRow) {
    const { adds } = MEASURES[this.measure];
    return this.columns.map((values) => {
      let total = NaN;
      for (let row = fromRow; row < toRow; row++) {
        if (!Number.isNaN(values[row])) {
          total = Number.isNaN(total) ? values[row] : adds ? total + values[row] : Math.max(total, values[row]);
        }
      }
      return Number.isNaN(total) ? null : total;
    });
  }

  /**
   * The table that says what the picture shows: some rows and columns taken together until they fit. A cell of several rows has their sum
   * (of means the greatest); one of several columns the mean over its time. Zoomed in far enough it has each cell of the picture.
   */
  table(from, to, fromRow, toRow, rowsMax, columnsMax) {
    const shown = [];
    this.times.forEach((t, i) => {
      if (t > from && t - this.spans[i] < to) {
        shown.push(i);
      }
    });
    const columns = parts(shown.length, columnsMax).map(([a, b]) => ({ from: this.times[shown[a]] - this.spans[shown[a]], to: this.times[shown[b - 1]], of: shown.slice(a, b) }));
    const rows = parts(toRow - fromRow, rowsMax).map(([a, b]) => ({
      from: this.bounds(fromRow + a)[0],
      to: this.bounds(fromRow + b - 1)[1],
      rows: [fromRow + a, fromRow + b],
      values: columns.map((column) => this.mean(column.of, fromRow + a, fromRow + b)),
    }));
    return { columns: columns.map(({ from: begin, to: end, of }) => ({ from: begin, to: end, columns: of.length })), rows };
  }

  mean(columns, fromRow, toRow) {
    const { adds } = MEASURES[this.measure];
    let sum = 0;
    let millis = 0;
    for (const column of columns) {
      let value = NaN;
      for (let row = fromRow; row < toRow; row++) {
        const cell = this.columns[column][row];
        if (!Number.isNaN(cell)) {
          value = Number.isNaN(value) ? cell : adds ? value + cell : Math.max(value, cell);
        }
      }
      if (!Number.isNaN(value)) {
        sum += value * this.spans[column];
        millis += this.spans[column];
      }
    }
    return millis === 0 ? null : sum / millis;
  }
}

/** Where the rows begin, as parts of the whole height, and where the last one ends. */
function edgesOf(rows, heights) {
  const edges = new Float64Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    edges[row + 1] = edges[row] + (heights === null ? 1 / rows : heights[row]);
  }
  edges[rows] = 1;
  return edges;
}

/** The buckets that may have keys of a table: `[from, to)`. */
function bucketsOf(cuts, table) {
  const next = bucketOf(cuts, [table + 1, '']);
  const endsAtCut = next > 0 && cuts[next - 1][0] === table + 1 && cuts[next - 1][1] === '';
  return [bucketOf(cuts, [table, '']), endsAtCut ? next : next + 1];
}

/** So many things in at most `max` parts, as equal as can be. */
export function parts(count, max) {
  const found = [];
  const size = Math.min(count, max);
  for (let i = 0; i < size; i++) {
    found.push([Math.floor((i * count) / size), Math.floor(((i + 1) * count) / size)]);
  }
  return found;
}
