/**
 * Recordings of clusters that never were, as the board writes them: the same name gives the same bytes. `node recordings.mjs NAME FILE`
 * writes one.
 *
 * - `story`: ten minutes of a cluster of three servers. A range of cities becomes hot and is split, orders has one hot partition, logs
 *   grows at its end, s2 dies and its ranges are taken over, the leader changes, cold neighbours are merged.
 * - `hostile`: names and keys that mean harm to a page.
 * - `stale`: a minute, of which the cluster cannot be asked in the last ten seconds.
 * - `large`: 1,536 buckets over an hour, in lines as the board's layers have them.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The time of the first frame: 2026-03-02 12:00:00 UTC. */
export const BEGIN = Date.UTC(2026, 2, 2, 12, 0, 0);
const SECOND = 1000;
const WHOLE_EVERY = 60;
const TERM = 4096;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The name of a range as events have it. */
const rangeName = (id) => `${Math.floor(id / TERM)}.${id % TERM}`;

/** A cluster of buckets that somebody loads; its frames are what a board would have written. */
class Cluster {
  constructor({ tables, cuts, ranges, servers, seed }) {
    this.tables = tables;
    this.cuts = cuts;
    this.ranges = ranges; // Each: id, buckets from and to, owner.
    this.servers = servers;
    this.random = random(seed);
    this.axis = 1;
    this.n = 0;
    this.events = 0;
    this.told = [];
    this.running = [];
    this.leader = 'm1';
    this.term = 3;
    this.bytes = Array.from({ length: cuts.length + 1 }, () => Math.round(2e6 + 6e6 * this.random()));
  }

  range(id) {
    return this.ranges.find((each) => each.id === id);
  }

  server(id) {
    return this.servers.find((each) => each.id === id);
  }

  tell(t, kind, more) {
    this.told.push({ n: ++this.events, t, kind, ranges: [], servers: [], reason: '', figures: [], rejected: [], ...more });
  }

  /** One range becomes several, at these buckets. */
  split(id, at, owners) {
    const whole = this.range(id);
    const bounds = [whole.from, ...at, whole.to];
    const next = Math.max(...this.ranges.map((each) => each.id)) + 1;
    const made = owners.map((owner, i) => ({ id: next + i, from: bounds[i], to: bounds[i + 1], owner }));
    this.ranges.splice(this.ranges.indexOf(whole), 1, ...made);
    return made;
  }

  key(bucket) {
    return bucket === 0 || bucket > this.cuts.length ? null : this.cuts[bucket - 1];
  }

  /** A frame: `rates(bucket)` are the entities/s written, read and scanned there. */
  frame(t, rates, { notes = () => [], why = () => [], span = SECOND, partitionOf = () => null } = {}) {
    const buckets = this.cuts.length + 1;
    const cells = { range: [], owner: [], state: [], entities: [], written: [], read: [], scanned: [], cpu: [], bytes: [], queue: [] };
    for (const range of this.ranges) {
      const index = this.servers.findIndex((each) => each.id === range.owner);
      const served = index >= 0 && this.servers[index].state !== 'dead';
      for (let bucket = range.from; bucket < range.to; bucket++) {
        const [written, read, scanned] = served ? rates(bucket).map((rate) => Math.round(rate * (0.85 + 0.3 * this.random()))) : [0, 0, 0];
        this.bytes[bucket] += (written * 400 * span) / SECOND;
        const isRunning = this.running.some((each) => each.ranges.includes(rangeName(range.id)));
        cells.range.push(range.id);
        cells.owner.push(served ? index : -1);
        cells.state.push((served ? 0 : 2) | (range.opening ? 1 : 0) | (isRunning ? 4 : 0));
        cells.written.push(written);
        cells.read.push(read);
        cells.scanned.push(scanned);
        cells.entities.push(written + read + Math.round(scanned / 4));
        cells.cpu.push(Math.round((written * 3 + read + scanned / 2) / 10));
        cells.bytes.push(Math.round(this.bytes[bucket]));
        cells.queue.push(0);
      }
    }
    this.queue(cells);
    const hot = this.hottest(cells, why, partitionOf);
    const frame = { n: this.n++, t, span };
    if (frame.n % WHOLE_EVERY === 0 || this.axis !== this.written) {
      frame.axis = { id: this.axis, tables: this.tables, cuts: this.cuts };
      this.written = this.axis;
    }
    Object.assign(frame, {
      cells, servers: this.serversNow(cells), masters: ['m1', 'm2', 'm3'].map((id) => ({ id, address: `127.0.0.1:${7100 + Number(id[1])}`, role: id === this.leader ? 'LEADER' : 'FOLLOWER', behind: id === this.leader ? 0 : Math.floor(3 * this.random()) })),
      leader: this.leader, term: this.term, frontEnds: this.frontEnds(cells), dfs: this.dfs(cells, buckets), ranges: this.ranges.length,
      handoffs: this.running, events: this.told, hottest: hot, notes: notes(this),
    });
    this.told = [];
    return frame;
  }

  /** The mean wait grows with the load of a range, and is the same in all its buckets. */
  queue(cells) {
    for (const range of this.ranges) {
      const load = sum(cells.entities, range);
      const wait = Math.round(80 + (load * load) / 4000);
      cells.queue.fill(load === 0 ? 0 : wait, range.from, range.to);
    }
  }

  hottest(cells, why, partitionOf) {
    return this.ranges.map((range) => ({ range, entities: sum(cells.entities, range) })).filter((each) => each.entities > 0)
      .sort((a, b) => b.entities - a.entities).slice(0, 10).map(({ range, entities }) => {
        const from = this.key(range.from);
        const to = range.to > this.cuts.length ? null : this.cuts[range.to - 1];
        const partition = partitionOf(range, cells);
        return {
          range: range.id, table: (from ?? [this.tables[0].id])[0], from, to, owner: range.owner, entities, written: sum(cells.written, range), read: sum(cells.read, range), scanned: sum(cells.scanned, range),
          cpu: sum(cells.cpu, range), queue: cells.queue[range.from], bytes: sum(cells.bytes, range), window: 'about 10 s', ...(partition ? { partition } : {}), why: why(range),
        };
      });
  }

  serversNow(cells) {
    return this.servers.map((server) => {
      const own = this.ranges.filter((range) => range.owner === server.id && server.state !== 'dead');
      const total = (values) => own.reduce((all, range) => all + sum(values, range), 0);
      return {
        id: server.id, number: server.number, address: `127.0.0.1:${7200 + server.number}`, admin: `127.0.0.1:${7300 + server.number}`, state: server.state, ranges: own.length,
        entities: total(cells.entities), cpu: server.state === 'dead' ? 0 : 120 + total(cells.cpu), free: 180e9 - total(cells.bytes), reserve: 10e9, store: total(cells.bytes), silent: server.silent ?? Math.floor(900 * this.random()), clock: 0,
      };
    });
  }

  frontEnds(cells) {
    const load = cells.entities.reduce((all, each) => all + each, 0);
    const unserved = cells.state.filter((each) => each & 2).length / cells.state.length;
    return ['fe1', 'fe2'].map((id, i) => ({ id, admin: `127.0.0.1:${7401 + i}`, up: true, rate: Math.round((load / 2) * (0.9 + 0.2 * this.random())), errors: Math.round(unserved * 40), p50: Math.round(2100 + 400 * this.random()), p99: Math.round(9000 + 2500 * this.random() + unserved * 9e5) }));
  }

  dfs(cells) {
    const written = cells.written.reduce((all, each) => all + each, 0);
    return [
      { id: 'dfs-1', kind: 'node', up: true, state: '', free: 412e9, appended: written * 460 },
      { id: 'dfs-2', kind: 'node', up: true, state: 'short of space: writes are refused', free: 9e9, appended: 0 },
      { id: 'bookie-1', kind: 'bookie', up: true, state: '', free: -1, appended: -1 },
      { id: 'bookie-2', kind: 'bookie', up: false, state: '', free: -1, appended: -1 },
    ];
  }
}

function sum(values, { from, to }) {
  return values.slice(from, to).reduce((all, each) => all + each, 0);
}

const CITIES = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('').flatMap((first) => [`${first}`, `${first}m`]);
const TABLES = [{ id: 0, name: 'the registry of tables', state: 'system' }, { id: 3, name: 'devstoreaccount1/cities', state: '' }, { id: 4, name: 'devstoreaccount1/orders', state: '' }, { id: 5, name: 'devstoreaccount1/logs', state: '' }];

function storyCluster() {
  const cuts = [[3, ''], ...CITIES.map((key) => [3, key]), [4, ''], ...Array.from({ length: 24 }, (_, i) => [4, `customer-${String(40 * (i + 1)).padStart(4, '0')}`]), [5, ''], ...Array.from({ length: 18 }, (_, i) => [5, `2026-03-02T${String(i + 1).padStart(2, '0')}`])];
  const orders = cuts.findIndex(([table]) => table === 4) + 1;
  const logs = cuts.findIndex(([table]) => table === 5) + 1;
  const id = (ordinal) => 3 * TERM + ordinal;
  const ranges = [
    { id: id(0), from: 0, to: 1, owner: 's1' }, { id: id(1), from: 1, to: 20, owner: 's1' }, { id: id(2), from: 20, to: 40, owner: 's2' }, { id: id(3), from: 40, to: orders, owner: 's3' },
    { id: id(4), from: orders, to: orders + 12, owner: 's2' }, { id: id(5), from: orders + 12, to: logs, owner: 's3' }, { id: id(6), from: logs, to: logs + 9, owner: 's3' }, { id: id(7), from: logs + 9, to: cuts.length + 1, owner: 's2' },
  ];
  const servers = [1, 2, 3].map((n) => ({ id: `s${n}`, number: 10 + n, state: 'live' }));
  return { cluster: new Cluster({ tables: TABLES, cuts, ranges, servers, seed: 11 }), orders, logs, id };
}

const STORY_SECONDS = 600;

/** The lines of the story, as objects. */
function* story() {
  const { cluster, orders, logs, id } = storyCluster();
  const end = cluster.cuts.length;
  const hot = orders + 4;
  const rates = (second) => (bucket) => {
    if (bucket === 0) {
      return [0.4, 3, 0];
    }
    if (bucket < orders) {
      const heat = second < 60 ? 0 : Math.min(1, (second - 60) / 60);
      const bump = Math.exp(-(((bucket - 12) / 2.5) ** 2)) * 620 * heat;
      return [2 + 0.2 * bump, 6 + 0.7 * bump, bucket % 7 === 3 ? 40 : 0];
    }
    if (bucket < logs) {
      return bucket === hot ? [120, 1450, 0] : [2, 8, 0];
    }
    return bucket === end ? [480, 12, 0] : [0, bucket === end - 1 ? 9 : 1, 0];
  };
  const splitFigures = [['entities-per-second', 2180, 'entities/s'], ['over-30s', 2240, 'entities/s'], ['threshold', 2000, 'entities/s'], ['hot-seconds', 30, 's'], ['kind', 'split', ''], ['from', 's1', ''], ['to', 's1,s3', '']];
  const note = (c) => {
    const at = (bucket) => c.ranges.find((each) => each.from <= bucket && bucket < each.to).id;
    return [
      { kind: 'one-partition', range: at(hot), text: `One partition, customer-0160-b of orders, takes most of range ${rangeName(at(hot))}: no split divides it. Spread its entities over several PartitionKeys.`, lab: 'hot-partition', runbook: 'alerts-ranges' },
      { kind: 'append-end', range: at(end), text: `All inserts into logs go to its end, which is in range ${rangeName(at(end))}: one server takes them all, and a split only moves that end on.`, lab: 'append-anti-pattern', runbook: '' },
    ];
  };
  const why = (range) => {
    const cooling = [{ of: 'merge', reason: 'not-cold', text: 'It has more than 20 entities/s.' }, { of: 'move', reason: 'even', text: 'The loads of the servers differ by less than 30 %.' }];
    if (range.from <= hot && hot < range.to) {
      return [{ of: 'split', reason: 'one-partition', text: 'One partition takes 94 % of its load, and a partition is never divided.' }, ...cooling];
    }
    return range.to > end ? [{ of: 'split', reason: 'moving-end', text: 'All inserts go beyond its end: a bound would lie behind them at once.' }, ...cooling] : [{ of: 'split', reason: 'not-hot', text: 'It has less than the 2,000 entities/s of balancer.split-entities-per-second.' }, ...cooling];
  };
  const partitionOf = (range, cells) => {
    const share = (bucket, factor) => Math.round((1000 * factor * cells.entities[bucket]) / Math.max(1, sum(cells.entities, range))) / 1000;
    return range.from <= hot && hot < range.to ? { key: [4, 'customer-0160-b'], part: share(hot, 0.98) } : range.from <= 12 && 12 < range.to && cells.entities[12] > 100 ? { key: [3, 'Foxton'], part: share(12, 0.3) } : null;
  };
  cluster.tell(BEGIN - 3600e3, 'leader-begun', { servers: ['m1'], reason: 'm1 leads' });
  for (let second = 0; second < STORY_SECONDS; second++) {
    const t = BEGIN + second * SECOND;
    if (second === 30) {
      cluster.tell(t, 'verdict', { ranges: [rangeName(id(4))], reason: 'balancer: popular partition: one partition takes most of a hot range, and a partition is never divided: spread its entities over several PartitionKeys', figures: [['entities-per-second', 1660, 'entities/s'], ['threshold', 2000, 'entities/s'], ['part-of-samples', 94, '%']] });
    }
    if (second === 150) {
      cluster.tell(t, 'handoff-begun', { ranges: [rangeName(id(1))], servers: ['s1.11'], handoff: '3.17', reason: 'balancer: hot: its load exceeds the threshold, and divides into 3 parts', figures: splitFigures, rejected: ['2 parts: the hotter one would still exceed the threshold'] });
      cluster.running = [{ id: '3.17', kind: 'split', ranges: [rangeName(id(1))], from: 's1', to: ['s1', 's3'], step: 'catch up', ms: 320, asker: 'balancer', reason: 'hot', steps: [['prepare', 0], ['catch up', 80]] }];
    }
    if (second === 152) {
      cluster.running = [];
      cluster.split(id(1), [11, 14], ['s1', 's3', 's1']);
      cluster.tell(t, 'handoff-ended', { ranges: [rangeName(id(1))], servers: ['s1.11'], handoff: '3.17', reason: 'balancer: hot: its load exceeds the threshold, and divides into 3 parts', figures: splitFigures });
      cluster.axis++;
    }
    if (second === 300) {
      Object.assign(cluster.server('s2'), { state: 'silent', silent: 4000 });
    }
    if (second === 306) {
      Object.assign(cluster.server('s2'), { state: 'dead', silent: 10000 });
      cluster.tell(t, 'server-dead', { servers: ['s2.12'], reason: 'silent for 10 s', figures: [['silent', 10, 's']] });
      cluster.ranges.filter((each) => each.owner === 's2').forEach((each, i) => {
        each.taker = i % 2 === 0 ? 's1' : 's3';
        each.opening = true;
        cluster.tell(t, 'takeover-ordered', { ranges: [rangeName(each.id)], servers: [`${each.taker}.1${each.taker[1]}`], reason: 's2.12 is dead' });
      });
    }
    if (second === 309) {
      cluster.ranges.filter((each) => each.taker).forEach((each) => {
        cluster.tell(t, 'takeover-ended', { ranges: [rangeName(each.id)], servers: [`${each.taker}.1${each.taker[1]}`], reason: 'taken over' });
        each.owner = each.taker;
        each.opening = false;
        delete each.taker;
      });
    }
    if (second === 420) {
      cluster.leader = 'm2';
      cluster.term = 4;
      cluster.tell(t, 'leader-begun', { servers: ['m2'], reason: 'm2 leads' });
    }
    if (second === 480) {
      const [from, to] = [cluster.ranges.find((each) => each.id === id(5)), cluster.ranges.find((each) => each.id === id(6))];
      from.to = to.to;
      cluster.ranges.splice(cluster.ranges.indexOf(to), 1);
      cluster.tell(t, 'handoff-ended', { ranges: [rangeName(id(5)), rangeName(id(6))], servers: ['s3.13'], handoff: '4.1', reason: 'balancer: cold: neighbours had little load together for a long time', figures: [['entities-per-second', 6, 'entities/s'], ['threshold', 20, 'entities/s'], ['kind', 'merge', ''], ['from', 's3', ''], ['to', 's3', '']] });
    }
    if (second === 540) {
      const moved = cluster.range(id(3));
      moved.owner = 's1';
      cluster.tell(t, 'handoff-ended', { ranges: [rangeName(moved.id)], servers: ['s3.13', 's1.11'], handoff: '4.2', reason: 'balancer: uneven: a server has more load than another', figures: [['part-of-s3', 62, '%'], ['kind', 'move', ''], ['from', 's3', ''], ['to', 's1', '']], rejected: ['range 3.9: it is in its cooling time for 40 s more'] });
    }
    if (second >= STORY_SECONDS - 3) {
      cluster.running = [{ id: '4.3', kind: 'move', ranges: [rangeName(id(0))], from: 's1', to: ['s3'], step: 'seal', ms: 1200 + 1000 * (second - STORY_SECONDS + 3), asker: 'operator', reason: 'drill', steps: [['prepare', 0], ['catch up', 90], ['seal', 1150]] }];
    }
    yield cluster.frame(t + SECOND, rates(second), { notes: second > 20 ? note : undefined, why, partitionOf });
  }
}

/** Keys and names that mean harm: markup, controls, marks that turn the direction, 512 characters, lone halves of pairs. */
export const HOSTILE_KEYS = [
  '<img src=x onerror=alert(1)>', '"><script>alert(2)</script>', '\u202egnp.exe', '\u2066\u2067mixed', '${alert(3)}', 'javascript:alert(4)', 'tab\tnew\nline', 'x'.repeat(512), 'zero\u200bwidth', '\u05d0\u05d1\u05d2-hebrew', '\ud83d\ude00-smile', '\uffee-last',
];

function* hostile() {
  const sorted = [...HOSTILE_KEYS].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const cuts = [[3, ''], ...sorted.map((key) => [3, key])];
  const ranges = sorted.map((key, i) => ({ id: TERM + i, from: i, to: i + 1, owner: `s${1 + (i % 2)}` }));
  ranges[ranges.length - 1].to = cuts.length + 1;
  const servers = [{ id: 's1', number: 1, state: 'live' }, { id: 's2', number: 2, state: 'live' }];
  const tables = [{ id: 0, name: 'the registry of tables', state: 'system' }, { id: 3, name: '<b>account</b>/\u202etable', state: '' }];
  const cluster = new Cluster({ tables, cuts, ranges, servers, seed: 3 });
  cluster.tell(BEGIN, 'handoff-refused', { ranges: [rangeName(TERM)], reason: '<img src=x onerror=alert(5)>', figures: [['goal', '<script>alert(6)</script>', '']], rejected: ['"><svg onload=alert(7)>'] });
  const partitionOf = (range) => ({ key: [3, sorted[range.from] ?? ''], part: 0.5 });
  const notes = () => [{ kind: 'one-partition', range: TERM + 1, text: 'A partition named <script>alert(8)</script> is hot.', lab: '"><b>lab', runbook: 'javascript:alert(9)' }];
  for (let second = 0; second < 90; second++) {
    yield cluster.frame(BEGIN + (second + 1) * SECOND, (bucket) => [10 * (bucket + 1), 5, 0], { partitionOf, notes });
  }
}

function* stale() {
  let last = null;
  let count = 0;
  for (const frame of story()) {
    if (count++ === 50) {
      break;
    }
    last = frame;
    yield frame;
  }
  for (let i = 1; i <= 10; i++) {
    yield { n: last.n + i, t: last.t + i * SECOND, span: SECOND, stale: 'no master answers within 2 s' };
  }
}

const LARGE_BUCKETS = 1536;

/** An hour in the lines of the board's layers: 50 of a minute, 600 of a second. */
function* large() {
  const cuts = Array.from({ length: LARGE_BUCKETS - 1 }, (_, i) => [3 + Math.floor(i / 512), i % 512 === 0 ? '' : `p${String(i % 512).padStart(5, '0')}`]);
  const ranges = Array.from({ length: 384 }, (_, i) => ({ id: TERM + i, from: 4 * i, to: 4 * i + 4, owner: `s${1 + ((i * 7) % 12)}` }));
  const servers = Array.from({ length: 12 }, (_, i) => ({ id: `s${i + 1}`, number: i + 1, state: 'live' }));
  const tables = [3, 4, 5].map((id) => ({ id, name: `devstoreaccount1/table${id}`, state: '' }));
  const cluster = new Cluster({ tables, cuts, ranges, servers, seed: 7 });
  const rates = (at) => (bucket) => {
    const wave = 1 + Math.sin(bucket / 60 + at / 400);
    return [wave * 4, wave * 20 + (bucket % 97 === 5 ? 400 : 0), 0];
  };
  for (let minute = 0; minute < 50; minute++) {
    yield cluster.frame(BEGIN + (minute + 1) * 60 * SECOND, rates(minute * 60), { span: 60 * SECOND });
  }
  for (let second = 0; second < 600; second++) {
    yield cluster.frame(BEGIN + 3000 * SECOND + (second + 1) * SECOND, rates(3000 + second));
  }
}

const ALL = { story, hostile, stale, large };

/** The lines of a recording. */
export function* lines(name) {
  yield JSON.stringify({ recording: 1, by: 'cleave test', cluster: '00000000-0000-4000-8000-000000000000', title: name === 'hostile' ? '<i>hostile</i> \u202ekeys' : name, hashed: false, period: SECOND });
  for (const frame of ALL[name]()) {
    yield JSON.stringify(frame);
  }
}

export function write(name, file) {
  const out = openSync(file, 'w');
  for (const line of lines(name)) {
    writeSync(out, `${line}\n`);
  }
  closeSync(out);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  write(process.argv[2], process.argv[3]);
}
