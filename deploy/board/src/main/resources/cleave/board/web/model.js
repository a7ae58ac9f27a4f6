/** What the frames of a stream say together: the state that the page shows. Without DOM. */
import { boundsOf, runs } from './axis.js';
import { rangeNumber } from './text.js';

const FRAMES_MAX = 600;
const EVENTS_MAX = 400;
const EXTENTS_MAX = 8192;
/** A frame this many periods late means that nothing comes any more. */
const LATE_PERIODS = 4;
/** Of a file of a later version only this much is known: that it is one. */
export const VERSION = 1;

/** The state after some frames. Fields of a frame that it leaves out stay as they were. */
export class Model {
  constructor() {
    this.title = '';
    this.n = -1;
    this.t = 0;
    this.span = 1000;
    this.stale = '';
    this.knownAt = 0; // Time of the last frame that was not stale; 0: none was.
    this.axis = { id: -1, tables: [], cuts: [] };
    this.cells = null;
    this.servers = [];
    this.masters = [];
    this.leader = '';
    this.term = 0;
    this.frontEnds = [];
    this.dfs = [];
    this.ranges = 0;
    this.running = [];
    this.handoffs = new Map(); // By id, those that were seen under way.
    this.events = [];
    this.hottest = [];
    this.notes = [];
    this.extents = new Map(); // Bounds of ranges by number, also of those that are gone.
    this.history = []; // Per frame: its time, the load by server, the figures by front end.
  }

  /**
   * Takes a frame. Answers `gap` if frames were lost before it, `axis` if the buckets are others than before, and '' otherwise. A frame
   * without an axis after a lost one cannot be read, and is a gap.
   */
  apply(frame) {
    const isWhole = frame.axis !== undefined;
    const isNext = this.n >= 0 && frame.n === this.n + 1;
    this.n = frame.n;
    this.t = frame.t;
    this.span = frame.span ?? this.span;
    this.stale = frame.stale ?? '';
    if (this.stale !== '') {
      return isNext ? '' : 'gap';
    }
    if (!isNext && !isWhole) {
      this.cells = null;
      return 'gap';
    }
    this.knownAt = frame.t;
    const isOther = isWhole && frame.axis.id !== this.axis.id;
    if (isWhole) {
      this.axis = frame.axis;
    }
    for (const name of ['cells', 'servers', 'masters', 'leader', 'term', 'frontEnds', 'dfs', 'ranges', 'hottest', 'notes']) {
      this[name] = frame[name] ?? this[name];
    }
    this.running = frame.handoffs ?? [];
    this.running.forEach((handoff) => this.handoffs.set(handoff.id, handoff));
    this.learnExtents();
    this.addEvents(frame.events ?? []);
    this.history.push({ t: frame.t, servers: this.servers, frontEnds: this.frontEnds });
    forget(this.history, FRAMES_MAX);
    while (this.handoffs.size > EVENTS_MAX) {
      this.handoffs.delete(this.handoffs.keys().next().value);
    }
    return isNext ? (isOther ? 'axis' : '') : 'gap';
  }

  learnExtents() {
    if (!this.cells || !this.cells.range) {
      return;
    }
    for (const [id, from, to] of runs(this.cells.range)) {
      if (id !== 0) {
        this.extents.delete(id);
        this.extents.set(id, [boundsOf(this.axis.cuts, from)[0], boundsOf(this.axis.cuts, to - 1)[1]]);
      }
    }
    while (this.extents.size > EXTENTS_MAX) {
      this.extents.delete(this.extents.keys().next().value);
    }
  }

  addEvents(events) {
    const known = new Set(this.events.map((each) => each.n));
    for (const event of events) {
      if (!known.has(event.n)) {
        // Where its ranges were, as long as that is known.
        const extents = (event.ranges || []).map((range) => this.extents.get(rangeNumber(range))).filter((each) => each !== undefined);
        this.events.push({ ...event, extents });
      }
    }
    this.events.sort((a, b) => a.n - b.n);
    forget(this.events, EVENTS_MAX);
  }

  /** Why what is shown is not of now, as a sentence, or ''. `heardAt` and `now` are of one clock, in milliseconds. */
  staleness(heardAt, now, period, isConnected) {
    if (this.stale !== '') {
      return this.stale;
    }
    if (!isConnected) {
      return 'the board does not answer';
    }
    return this.n >= 0 && now - heardAt > LATE_PERIODS * period ? 'the board sends nothing' : '';
  }
}

function forget(list, max) {
  if (list.length > max) {
    list.splice(0, list.length - max);
  }
}

/** Servers by load, the greatest first; those without any last. */
export function serversByLoad(servers) {
  return [...servers].sort((a, b) => b.entities - a.entities || (a.id < b.id ? -1 : 1));
}

/**
 * The order of a list while somebody points at it: what was there stays where it was, so that a click meets what it aimed at. What left is
 * left out, what came is added at the end.
 */
export function keepOrder(before, now, isHeld) {
  if (!isHeld) {
    return now;
  }
  const byRange = new Map(now.map((each) => [each.range, each]));
  const kept = before.map((each) => byRange.get(each.range)).filter((each) => each !== undefined);
  return [...kept, ...now.filter((each) => !kept.includes(each))];
}

/** The buckets of each server as parts of the key space: `[from, to)` in buckets, by its index. */
export function shares(owners) {
  const found = new Map();
  for (const [owner, from, to] of runs(owners)) {
    found.set(owner, [...(found.get(owner) ?? []), [from, to]]);
  }
  return found;
}

/** States of a bucket, as words. */
export function stateWords(bits) {
  return ['opening', 'without an owner', 'in a handoff', 'with damaged files'].filter((word, i) => (bits >> i) & 1);
}
