/**
 * The heat map: keys downwards, time to the right. One off-screen picture has a pixel a slot of columns and a group of rows; a new column
 * costs one pixel column of it. Whatever shares a pixel is shown by its greatest value, so that no hot spot falls between pixels.
 */
import { bands, labels, runs, slotsOf } from './axis.js';
import { colouring, pixels } from './scale.js';
import { clock, escapeKey } from './text.js';

// In pixels of a page whose text is 15.4 pixels high, and as much larger as the text of this one is.
const TEXT = 15.4;
const FONT_SIZE = 12;
const AXIS_HEIGHT = 20;
const OWNERS_WIDTH = 44;
const OWNERS_GAP = 4;
const LABEL_HEIGHT = 13;
const LEFT = 128;
const LEFT_NARROW = 64;
const NARROW = 600;
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800].map((s) => s * 1000);
const PIXELS = pixels();

export class HeatMap {
  /** `theme` answers the colours of the page by the names of its custom properties. */
  constructor(canvas, overlay, theme) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.theme = theme;
    this.grid = null;
    this.image = document.createElement('canvas');
    this.slots = [];
    this.cursor = null;
    this.brush = null;
    this.joined = null;
    this.frames = 0;
  }

  /** Shows a grid: rows `[fromRow, toRow)` and the times from `from` to `to`. Everything is drawn anew. */
  show(grid, { from, to, fromRow, toRow }) {
    Object.assign(this, { grid, from, to, fromRow, toRow });
    this.resize();
    this.rebuild();
    this.draw();
  }

  /** Moves on to the grid's newest column, which is the only one that is computed. */
  advance(from, to) {
    this.from = from;
    this.to = to;
    const column = this.grid.times.length - 1;
    const begin = this.grid.times[column] - this.grid.spans[column];
    const last = this.slots[this.slots.length - 1];
    const fits = last && this.grid.times[column] - last.begin <= (to - from) / this.plotPixels && begin <= last.end + 1;
    if (fits) {
      last.last = column;
      last.end = this.grid.times[column];
    } else {
      this.slots.push({ first: column, last: column, begin, end: this.grid.times[column] });
    }
    if (this.slots.length > this.image.width) {
      this.rebuild();
    } else {
      this.paint(this.slots.length - 1, 1);
    }
    this.draw();
  }

  resize() {
    this.ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / TEXT;
    this.font = `${Math.round(FONT_SIZE * this.unit)}px system-ui, sans-serif`;
    this.left = Math.round((this.width < NARROW ? LEFT_NARROW : LEFT) * this.unit);
    this.ownersWidth = Math.round(OWNERS_WIDTH * this.unit);
    this.plotWidth = Math.max(10, this.width - this.left - this.ownersWidth - OWNERS_GAP);
    this.plotHeight = Math.max(10, this.height - Math.round(AXIS_HEIGHT * this.unit));
    this.plotPixels = Math.round(this.plotWidth * this.ratio);
    for (const each of [this.canvas, this.overlay]) {
      each.width = Math.round(this.width * this.ratio);
      each.height = Math.round(this.height * this.ratio);
    }
  }

  rebuild() {
    const pointed = this.cursor && this.cursor.slot < this.slots.length ? this.slots[this.cursor.slot].end : null;
    this.groupRows();
    this.slots = slotsOf(this.grid.times, this.grid.spans, this.from, this.to, this.plotPixels);
    this.image.width = this.slots.length + Math.ceil(this.plotPixels / 4) + 64;
    this.image.height = this.bins;
    this.colourOf = colouring(this.grid.measure);
    if (this.slots.length > 0) {
      this.paint(0, this.slots.length);
    }
    if (pointed !== null) {
      this.cursor.slot = this.slots.findIndex((each) => each.begin < pointed && pointed <= each.end);
      this.cursor = this.cursor.slot < 0 ? null : this.cursor;
    }
  }

  /** The rows of each row of pixels of the picture: one for each of equal rows, if there is room; else those that touch a pixel. */
  groupRows() {
    const count = this.toRow - this.fromRow;
    const { edges } = this.grid;
    const height = Math.round(this.plotHeight * this.ratio);
    const isEqual = this.grid.isEven;
    this.bins = isEqual ? Math.min(count, height) : height;
    this.begins = new Int32Array(this.bins);
    this.ends = new Int32Array(this.bins);
    const [top, bottom] = [edges[this.fromRow], edges[this.toRow]];
    for (let bin = 0; bin < this.bins; bin++) {
      if (isEqual) {
        this.begins[bin] = this.fromRow + Math.floor((bin * count) / this.bins);
        this.ends[bin] = this.fromRow + Math.floor(((bin + 1) * count) / this.bins);
      } else {
        this.begins[bin] = Math.max(this.fromRow, this.grid.rowAt(top + ((bottom - top) * bin) / this.bins));
        this.ends[bin] = Math.min(this.toRow, this.grid.rowAt(top + ((bottom - top) * (bin + 0.999)) / this.bins) + 1);
      }
    }
  }

  /** Computes the pixels of some slots. What is not known stays transparent. */
  paint(slot, count) {
    const g = this.image.getContext('2d');
    const data = g.createImageData(count, this.bins);
    const target = new Uint32Array(data.data.buffer);
    for (let i = 0; i < count; i++) {
      const { first, last } = this.slots[slot + i];
      for (let bin = 0; bin < this.bins; bin++) {
        let greatest = -1;
        for (let row = this.begins[bin]; row < this.ends[bin]; row++) {
          for (let column = first; column <= last; column++) {
            const value = this.grid.columns[column][row];
            greatest = value > greatest ? value : greatest;
          }
        }
        const index = this.colourOf(greatest);
        target[bin * count + i] = index < 0 ? 0 : PIXELS[index];
      }
    }
    g.putImageData(data, slot, 0);
  }

  /** Left edge of a time, in pixels of the page. */
  x(time) {
    return this.left + (this.plotWidth * (time - this.from)) / (this.to - this.from);
  }

  /** Upper edge of a row, in pixels of the page. */
  y(row) {
    const { edges } = this.grid;
    return (this.plotHeight * (edges[row] - edges[this.fromRow])) / (edges[this.toRow] - edges[this.fromRow]);
  }

  draw() {
    const g = this.canvas.getContext('2d');
    this.frames++;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    g.font = this.font;
    g.fillStyle = this.theme('--unknown');
    g.fillRect(this.left, 0, this.plotWidth, this.plotHeight);
    this.drawCells(g);
    this.drawBands(g);
    this.drawTimes(g);
    this.drawOwners(g);
    this.drawOverlay();
  }

  /** Slots of equal length beside each other are drawn at once. */
  drawCells(g) {
    g.save();
    g.beginPath();
    g.rect(this.left, 0, this.plotWidth, this.plotHeight);
    g.clip();
    g.imageSmoothingEnabled = false;
    for (let i = 0; i < this.slots.length; ) {
      const length = this.slots[i].end - this.slots[i].begin;
      let next = i + 1;
      while (next < this.slots.length && this.slots[next].end - this.slots[next].begin === length && this.slots[next].begin === this.slots[next - 1].end) {
        next++;
      }
      const from = this.sharp(this.x(this.slots[i].begin));
      const to = this.sharp(this.x(this.slots[next - 1].end));
      if (to > this.left) {
        g.drawImage(this.image, i, 0, next - i, this.bins, from, 0, Math.max(to - from, 1 / this.ratio), this.plotHeight);
      }
      i = next;
    }
    g.restore();
  }

  sharp(x) {
    return Math.round(x * this.ratio) / this.ratio;
  }

  drawBands(g) {
    g.textBaseline = 'middle';
    g.textAlign = 'left';
    for (const { id, from, to } of bands(this.grid.cuts, this.grid.first)) {
      const top = this.sharp(this.y(Math.max(from, this.fromRow)));
      const bottom = this.sharp(this.y(Math.min(to, this.toRow)));
      if (bottom <= top) {
        continue;
      }
      g.fillStyle = this.theme('--line');
      g.fillRect(0, top, this.left + this.plotWidth, 1);
      if (bottom - top >= LABEL_HEIGHT * this.unit) {
        const table = this.grid.tables.find((each) => each.id === id);
        this.label(g, table && table.name ? escapeKey(table.name) : `table ${id}`, 4, (top + bottom) / 2, this.left - 8);
      }
    }
  }

  /** A text cut to a width, from its beginning: names of tables differ at their end. */
  label(g, text, x, y, width) {
    let shown = text.slice(text.lastIndexOf('/') + 1);
    while (shown.length > 1 && g.measureText(shown).width > width) {
      shown = `${shown.slice(0, -2)}…`;
    }
    g.fillStyle = this.theme('--fg');
    g.fillText(shown, x, y);
  }

  drawTimes(g) {
    const room = (this.to - this.from) / Math.max(1, Math.floor(this.plotWidth / (90 * this.unit)));
    const step = TIME_STEPS.find((each) => each >= room) ?? TIME_STEPS[TIME_STEPS.length - 1];
    const zone = new Date(this.from).getTimezoneOffset() * 60000;
    g.textBaseline = 'alphabetic';
    g.textAlign = 'center';
    for (let t = Math.ceil((this.from - zone) / step) * step + zone; t < this.to; t += step) {
      const x = this.sharp(this.x(t));
      const text = step >= 86400000 ? new Date(t).toDateString().slice(4, 10) : step >= 60000 ? clock(t).slice(0, 5) : clock(t);
      g.fillStyle = this.theme('--dim');
      g.fillRect(x, this.plotHeight, 1, 4);
      if (x - this.left > 24 * this.unit && this.left + this.plotWidth - x > 24 * this.unit) {
        g.fillText(text, x, this.height - 3);
      }
    }
  }

  /** What fits of a server's name: its end, where names of servers differ. */
  tail(g, name) {
    let shown = name;
    while (shown.length > 1 && g.measureText(shown).width > this.ownersWidth - 4) {
      shown = `…${shown.slice(2)}`;
    }
    return shown;
  }

  /** Who serves the rows now, at the right: a colour a server. */
  drawOwners(g) {
    const left = this.width - this.ownersWidth;
    g.textBaseline = 'middle';
    g.textAlign = 'center';
    for (const [owner, from, to] of runs(this.owners ?? [])) {
      const top = this.sharp(this.y(Math.max(from, this.fromRow)));
      const bottom = this.sharp(this.y(Math.min(to, this.toRow)));
      if (bottom <= top) {
        continue;
      }
      g.fillStyle = owner < 0 ? this.theme(owner === -1 ? '--bad' : '--dim') : this.theme(`--server-${owner % 8}`);
      g.fillRect(left, top, this.ownersWidth, Math.max(bottom - top - 1 / this.ratio, 1 / this.ratio));
      if (bottom - top >= LABEL_HEIGHT * this.unit) {
        g.fillStyle = '#fff';
        g.fillText(owner === -1 ? 'nobody' : owner === -2 ? 'several' : this.tail(g, this.serverNames[owner] ?? '?'), left + this.ownersWidth / 2, (top + bottom) / 2);
      }
    }
  }

  /** Takes the owners of a model's buckets over to the rows. */
  setOwners(model, grid) {
    const way = model.cells ? grid.wayOf(model.axis) : null;
    this.owners = way ? labels(model.cells.owner, way, grid.rows) : [];
    this.ranges = way ? labels(model.cells.range, way, grid.rows) : [];
    this.serverNames = model.servers.map((each) => each.id);
  }

  /** The cell at a place of the page: its slot and group of rows; null outside of the plot or where no column is. */
  cellAt(x, y) {
    if (x < this.left || x >= this.left + this.plotWidth || y < 0 || y >= this.plotHeight) {
      return null;
    }
    const time = this.from + ((x - this.left) * (this.to - this.from)) / this.plotWidth;
    const slot = this.slots.findIndex((each) => each.begin < time && time <= each.end);
    return slot < 0 ? null : { slot, bin: Math.min(this.bins - 1, Math.floor((y * this.bins) / this.plotHeight)) };
  }

  rowsOf(bin) {
    return [this.begins[bin], this.ends[bin]];
  }

  /** Everything that is known of a cell. */
  tell({ slot, bin }) {
    const { first, last } = this.slots[slot];
    const [fromRow, toRow] = this.rowsOf(bin);
    const { value, row, column } = this.grid.greatest(first, last, fromRow, toRow);
    const [from, to] = this.grid.bounds(row);
    const owner = (this.owners ?? [])[row];
    return {
      value, row, from, to, t: this.grid.times[column], span: this.grid.spans[column], range: (this.ranges ?? [])[row] ?? 0,
      owner: owner >= 0 ? this.serverNames[owner] : null, cells: (last - first + 1) * (toRow - fromRow),
    };
  }

  /** Puts the cursor on a cell, or takes it away. */
  point(cell) {
    this.cursor = cell;
    this.drawOverlay();
  }

  /** Moves the cursor, from the newest column if there is none yet. */
  move(slots, bins) {
    if (this.slots.length === 0) {
      return;
    }
    const { slot, bin } = this.cursor ?? { slot: this.slots.length - 1, bin: 0 };
    const clamp = (n, max) => Math.min(max, Math.max(0, n));
    this.point(this.cursor ? { slot: clamp(slot + slots, this.slots.length - 1), bin: clamp(bin + bins, this.bins - 1) } : { slot, bin });
  }

  /** Where the cursor is, in pixels of the page. */
  place({ slot, bin }) {
    const { begin, end } = this.slots[slot];
    const [fromRow, toRow] = this.rowsOf(bin);
    const left = Math.max(this.left, this.x(begin));
    return { left, top: this.y(fromRow), width: Math.max(this.x(end) - left, 2), height: Math.max(this.y(toRow) - this.y(fromRow), 2) };
  }

  /** Shows where and when an event was: its time, and its keys if they are known; null for none. */
  join(event) {
    this.joined = event;
    this.drawOverlay();
  }

  drawOverlay() {
    const g = this.overlay.getContext('2d');
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    if (!this.grid) {
      return;
    }
    g.strokeStyle = this.theme('--mark');
    g.lineWidth = 2;
    if (this.joined) {
      const x = this.sharp(this.x(this.joined.t));
      g.strokeRect(x - 1, 0, 2, this.plotHeight);
      for (const [from, to] of this.joined.extents) {
        const [first, end] = this.grid.rowsBetween(from, to);
        g.strokeRect(this.left + 1, this.y(first), this.plotWidth - 2, this.y(end) - this.y(first));
      }
    }
    if (this.cursor && this.cursor.slot < this.slots.length && this.cursor.bin < this.bins) {
      const { left, top, width, height } = this.place(this.cursor);
      g.globalAlpha = 0.5;
      g.lineWidth = 1;
      g.strokeRect(this.left, top + height / 2, this.plotWidth, 0);
      g.strokeRect(left + width / 2, 0, 0, this.plotHeight);
      g.globalAlpha = 1;
      g.lineWidth = 2;
      g.strokeRect(left - 2, top - 2, width + 4, height + 4);
    }
    if (this.brush) {
      const { x0, y0, x1, y1 } = this.brush;
      g.globalAlpha = 0.25;
      g.fillStyle = this.theme('--mark');
      g.fillRect(x0, y0, x1 - x0, y1 - y0);
      g.globalAlpha = 1;
      g.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
  }
}
