// The modules of the page that know no DOM. BOARD_WEB is the folder of the page.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { HOSTILE_KEYS, lines } from './recordings.mjs';

const load = (name) => import(pathToFileURL(path.join(process.env.BOARD_WEB, name)));
const axis = await load('axis.js');
const scale = await load('scale.js');
const text = await load('text.js');
const link = await load('link.js');
const stories = await load('stories.js');
const { Model, keepOrder, serversByLoad, shares, stateWords } = await load('model.js');
const { Grid, parts } = await load('grid.js');
const { marks, partnersOf } = await load('played.js');
const { STEPS, Tour, awaitedText, busiest } = await load('tour.js');

function frames(name, count) {
  const found = [];
  for (const line of lines(name)) {
    found.push(JSON.parse(line));
    if (found.length > count) {
      break;
    }
  }
  return found.slice(1);
}

test('keys are in the order of their UTF-8 bytes', () => {
  const keys = ['', 'A', 'AB', 'a', '\u00e9', '\uffee', '\ud83d\ude00', '\ud83d\ude01', 'zz', '\ud7ff'];
  const sorted = [...keys].sort((a, b) => axis.compareKeys([3, a], [3, b]));
  const bytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(sorted, bytes);
  assert.ok(axis.compareKeys([3, 'z'], [4, '']) < 0);
});

test('a column keeps its sum on any other axis', () => {
  const cuts = [[3, ''], [3, 'D'], [3, 'M'], [4, '']];
  const values = [1, 20, 300, 4000, 50000];
  for (const rows of [[], [[3, 'D']], [[3, ''], [3, 'B'], [3, 'C'], [3, 'D'], [3, 'F'], [3, 'M'], [3, 'Z'], [4, ''], [4, 'x']], [[3, 'A'], [9, '']]]) {
    const column = axis.spread(values, axis.overlaps(cuts, rows), rows.length + 1, true);
    assert.ok(Math.abs(column.reduce((a, b) => a + b, 0) - 54321) < 1e-6);
  }
});

test('a bucket is divided among the rows that it has keys in, and a mean holds for all of them', () => {
  const ways = axis.overlaps([[3, 'D']], [[3, 'B'], [3, 'D'], [3, 'F']]);
  assert.deepEqual([...axis.spread([10, 40], ways, 4, true)], [5, 5, 20, 20]);
  assert.deepEqual([...axis.spread([10, 40], ways, 4, false)], [10, 10, 40, 40]);
  assert.deepEqual([...axis.spread([null, 40], ways, 4, true)], [NaN, NaN, 20, 20]);
  const coarse = axis.overlaps([[3, 'B'], [3, 'D'], [3, 'F']], [[3, 'D']]);
  assert.deepEqual([...axis.spread([1, 2, 3, 4], coarse, 2, true)], [3, 7]);
  assert.deepEqual([...axis.spread([1, 2, 3, 4], coarse, 2, false)], [2, 4]);
});

test('rows have the owner of the last bucket that begins in them or before them', () => {
  const labels = (cuts, rows) => axis.labels([0, 1, 2], axis.overlaps(cuts, rows), rows.length + 1);
  assert.deepEqual(labels([[3, 'D'], [3, 'M']], [[3, 'B'], [3, 'D'], [3, 'E'], [3, 'Z']]), [0, 0, 1, 2, 2]);
  assert.deepEqual(labels([[3, 'D'], [3, 'M']], [[3, 'M']]), [1, 2]);
  assert.deepEqual(axis.runs([0, 0, 1, 0]), [[0, 0, 2], [1, 2, 3], [0, 3, 4]]);
});

test('hashes of keys, which have no order, are matched by what they are', () => {
  const cuts = [[3, 'f'], [3, 'a'], [3, 'c']];
  assert.deepEqual([...axis.spread([1, 20, 300, 4000], axis.overlaps(cuts, [[3, 'a']], true), 2, true)], [21, 4300]);
  assert.deepEqual([...axis.spread([8, 10], axis.overlaps([[3, 'a']], cuts, true), 4, true)], [4, 4, 5, 5]);
  assert.deepEqual(axis.rowsBetween(cuts, [3, 'a'], null, true), [2, 4]);
  assert.deepEqual(axis.rowsBetween(cuts, [3, 'f'], [3, 'c'], true), [1, 3]);
});

test('keys find their rows, ends of the key space among them', () => {
  const cuts = [[3, 'B'], [3, 'D'], [4, '']];
  assert.deepEqual(axis.rowsBetween(cuts, null, null), [0, 4]);
  assert.deepEqual(axis.rowsBetween(cuts, [3, 'B'], [3, 'D']), [1, 2]);
  assert.deepEqual(axis.rowsBetween(cuts, [3, 'C'], [3, 'C']), [1, 2]);
  assert.deepEqual(axis.rowsBetween(cuts, [9, 'C'], null), [3, 4]);
  assert.deepEqual(axis.bands([[3, ''], [3, 'x'], [4, '']], 0), [{ id: 0, from: 0, to: 1 }, { id: 3, from: 1, to: 3 }, { id: 4, from: 3, to: 4 }]);
});

test('no column is dropped where columns are narrower than pixels', () => {
  const times = Array.from({ length: 600 }, (_, i) => (i + 1) * 1000);
  const spans = times.map(() => 1000);
  const slots = axis.slotsOf(times, spans, 0, 600000, 100);
  assert.equal(slots.length, 100);
  assert.equal(slots[0].first, 0);
  slots.slice(1).forEach((slot, i) => assert.equal(slot.first, slots[i].last + 1));
  assert.equal(slots[99].last, 599);
  assert.equal(axis.slotsOf(times, spans, 300000, 310000, 100).length, 10);
});

test('columns on both sides of a gap share no slot', () => {
  const slots = axis.slotsOf([1000, 2000, 60000], [1000, 1000, 1000], 0, 60000, 20);
  assert.deepEqual(slots.map(({ first, last }) => [first, last]), [[0, 1], [2, 2]]);
});

test('the scale is fixed, logarithmic, and tells nothing from not known', () => {
  assert.equal(scale.colourIndex('entities', null), -1);
  assert.equal(scale.colourIndex('entities', NaN), -1);
  assert.equal(scale.colourIndex('entities', 0), 0);
  assert.equal(scale.colourIndex('entities', 1), 1);
  assert.equal(scale.colourIndex('entities', 100), 128);
  assert.equal(scale.colourIndex('entities', 1e9), 255);
  const index = scale.colouring('bytes');
  for (const value of [NaN, 0, 1, 1024, 5e6, 1e15]) {
    assert.equal(index(value), scale.colourIndex('bytes', value));
  }
  assert.deepEqual(scale.colour(0), [0x44, 0x01, 0x54]);
  assert.deepEqual(scale.colour(255), [0xfd, 0xe7, 0x25]);
  assert.equal(scale.pixels()[255] >>> 0, 0xff25e7fd);
  assert.deepEqual(scale.ticks('entities').map((each) => each.text), ['1', '10', '100', '1k', '≥ 10k']);
  assert.deepEqual(scale.ticks('bytes').map((each) => each.text), ['1 KiB', '1 MiB', '1 GiB', '≥ 1 TiB']);
});

test('hostile keys are shown without any character that acts', () => {
  for (const key of HOSTILE_KEYS) {
    const { shown, full, isCut, length } = text.keyParts(key);
    assert.doesNotMatch(full, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    assert.ok(Array.from(shown).length <= 40);
    assert.equal(isCut, Array.from(full).length > 40);
    assert.equal(length, Array.from(key).length);
  }
  assert.equal(text.escapeKey('\u202eabc'), '\\u{202e}abc');
  assert.notEqual(text.escapeKey('\\u{202e}abc'), text.escapeKey('\u202eabc'));
  assert.equal(text.escapeKey('\ud800'), '\\u{d800}');
  assert.equal(text.escapeKey('\ud83d\ude00 \u05d0'), '\ud83d\ude00 \u05d0');
});

test('numbers read as people write them', () => {
  assert.equal(text.integer(1234567.6), '1,234,568');
  assert.deepEqual([0, 7, 999, 1000, 12345, 1e6].map(text.short), ['0', '7', '999', '1k', '12.3k', '1M']);
  assert.deepEqual([0, 1023, 1024, 1536, 5e9].map(text.bytes), ['0 B', '1023 B', '1 KiB', '1.5 KiB', '4.66 GiB']);
  assert.deepEqual([80, 3100, 2.5e6].map(text.micros), ['80 µs', '3.1 ms', '2.5 s']);
  assert.deepEqual([320, 1200, 59000, 61000, 3600000, 90061000].map(text.span), ['320 ms', '1.2 s', '59 s', '1 min 1 s', '1 h', '1 d 1 h']);
  assert.equal(text.rangeName(3 * 4096 + 17), '3.17');
  assert.equal(text.rangeNumber('3.17'), 3 * 4096 + 17);
  assert.equal(text.listed(['a', 'b', 'c']), 'a, b and c');
});

test('a permalink comes back as it was, whatever its keys are', () => {
  for (const key of [...HOSTILE_KEYS, '~,#&=%']) {
    const asked = { ...link.PLAIN, measure: 'cpu', rows: 'width', window: '6h', table: 3, times: [1000, 2000], keys: [[3, key], null], range: 12305 };
    const read = link.readLink(link.writeLink({ ...asked }));
    assert.deepEqual(read, asked);
  }
  assert.equal(link.writeLink(link.PLAIN), '');
});

test('a damaged permalink is as none', () => {
  for (const bad of ['#measure=toString', '#times=1', '#times=a~b', '#keys=~', '#keys=3~4', '#window=__proto__', '#table=-1', '#speed=7', '#keys=3,%25E0~']) {
    assert.deepEqual(link.readLink(bad), link.PLAIN, bad);
  }
});

test('frames add up, and a lost one is a gap until a whole one comes', () => {
  const all = frames('story', 200);
  const model = new Model();
  assert.equal(model.apply(all[0]), 'gap');
  assert.equal(model.apply(all[1]), '');
  assert.equal(model.cells.range.length, model.axis.cuts.length + 1);
  assert.equal(model.apply(all[5]), 'gap');
  assert.equal(model.cells, null);
  assert.equal(model.apply(all[60]), 'gap');
  assert.notEqual(model.cells, null);
  for (let i = 61; i < 152; i++) {
    assert.equal(model.apply(all[i]), '');
  }
  assert.equal(model.apply(all[152]), 'axis');
  const split = model.events.find((event) => event.kind === 'handoff-begun');
  assert.deepEqual(split.extents, [[[3, ''], [3, 'J']]]); // Known though the range is gone.
});

test('a stale frame leaves what was known, and says since when', () => {
  const all = frames('stale', 60);
  const model = new Model();
  all.forEach((frame) => model.apply(frame));
  assert.equal(model.stale, 'no master answers within 2 s');
  assert.equal(model.knownAt, all[49].t);
  assert.equal(model.servers.length, 3);
});

test('silence is told from a broken connection', () => {
  const model = new Model();
  assert.equal(model.staleness(0, 1e6, 1000, true), '');
  model.apply(frames('story', 1)[0]);
  assert.equal(model.staleness(0, 3999, 1000, true), '');
  assert.equal(model.staleness(0, 4001, 1000, true), 'the board sends nothing');
  assert.equal(model.staleness(0, 0, 1000, false), 'the board does not answer');
});

test('lists keep their order while somebody points at them', () => {
  const [a, b, c] = [{ range: 1 }, { range: 2 }, { range: 3 }];
  assert.deepEqual(keepOrder([a, b], [c, b, a], false), [c, b, a]);
  assert.deepEqual(keepOrder([a, b], [c, { range: 2, entities: 9 }, a], true), [a, { range: 2, entities: 9 }, c]);
  assert.deepEqual(serversByLoad([{ id: 's2', entities: 1 }, { id: 's1', entities: 1 }, { id: 's3', entities: 5 }]).map((each) => each.id), ['s3', 's1', 's2']);
  assert.deepEqual([...shares([0, 0, 1, 0, -1])], [[0, [[0, 2], [3, 4]]], [1, [[2, 3]]], [-1, [[4, 5]]]]);
  assert.deepEqual(stateWords(6), ['without an owner', 'in a handoff']);
});

function decisions(name, count) {
  const model = new Model();
  frames(name, count).forEach((frame) => model.apply(frame));
  return stories.decisionsOf(model.events, model.handoffs);
}

test('a split is one decision: what, from where to where, why, on which figures, and what was rejected', () => {
  const split = decisions('story', 200).find((each) => each.lane === 'split');
  assert.equal(split.sentence, 'Range 3.1 was split from s1 to s1 and s3.');
  assert.equal(split.reason, 'balancer: hot: its load exceeds the threshold, and divides into 3 parts');
  assert.equal(split.state, 'done');
  assert.equal(split.took, 2000);
  assert.deepEqual(split.figures.map(stories.figureText), ['entities per second 2,180', 'over 30s 2,240 entities/s', 'threshold 2,000 entities/s', 'hot seconds 30 s']);
  assert.deepEqual(split.rejected, ['2 parts: the hotter one would still exceed the threshold']);
});

test('an alternative that both events of a decision name is told once, and figures have no more digits than one reads', () => {
  const events = [
    { n: 1, t: 1000, kind: 'handoff-begun', handoff: '1-1', ranges: ['7.0'], figures: [['entities-per-second', 8033.148, 'entities/s'], ['part', 0.1234, '']], rejected: ['a'] },
    { n: 2, t: 1300, kind: 'handoff-ended', handoff: '1-1', ranges: ['7.0'], rejected: ['a', 'b'] },
  ];
  const [only] = stories.decisionsOf(events, new Map());
  assert.deepEqual(only.rejected, ['a', 'b']);
  assert.deepEqual(only.figures.map(stories.figureText), ['entities per second 8,033', 'part 0.12']);
});

test('what happened to a server is told by the last decision that names it', () => {
  const all = decisions('story', 400);
  assert.equal(stories.lastOf('s2', all).sentence, 's2.12 was declared dead.');
  const takeovers = all.filter((each) => each.lane === 'takeover');
  assert.deepEqual(takeovers.map((each) => [each.sentence, each.reason, each.took]), [
    ['s1.11 took over range 3.7.', 's2.12 is dead', 3000], ['s3.13 took over range 3.4.', 's2.12 is dead', 3000], ['s1.11 took over range 3.2.', 's2.12 is dead', 3000]]);
});

test('events without a sentence of their own are told all the same', () => {
  const of = (event) => stories.sentenceOf(event, new Map());
  assert.equal(of({ kind: 'swept', reason: '3 files' }), 'Swept.');
  assert.equal(of({ kind: 'masters-changed', servers: ['m4'] }), 'Masters changed: m4.');
  assert.equal(of({ kind: 'handoff-refused', ranges: ['1.0'] }), 'The handoff of range 1.0 was refused.');
  assert.equal(of({ kind: 'handoff-asked', figures: [['goal', 'move 1.0 to s2', '']] }), 'A handoff was asked for: move 1.0 to s2.');
});

test('the headline names the server that carries most, the hottest partition and who is dead', () => {
  const model = new Model();
  frames('story', 400).forEach((frame) => model.apply(frame));
  const [load, most, gone] = stories.headline(model);
  assert.match(load, /^[\d,]+ entities\/s on 10 ranges of 2 servers\.$/);
  assert.match(most, /^s3 carries most: \d\d % of the load\.$/);
  assert.equal(gone, 's2 is dead.');
  assert.deepEqual(stories.hottestPartition(model.hottest).key, [4, 'customer-0160-b']);
  assert.equal(stories.hottestPartition([]), null);
});

test('steps of a handoff last until the next one', () => {
  assert.deepEqual(stories.stepsOf({ ms: 1200, steps: [['prepare', 0], ['catch up', 90], ['seal', 1150]] }).map((each) => [each.step, each.millis, each.isLast]), [['prepare', 90, false], ['catch up', 1060, false], ['seal', 50, true]]);
  assert.deepEqual(stories.stepsOf({ ms: 5 }), []);
});

const VIEW = { n: 1, tables: [{ id: 3, name: 'a/t', state: '' }], cuts: [[3, 'D'], [3, 'M']], times: [1000, 2000, 4000], spans: [1000, 1000, 2000], rows: 3, values: [[1, 2, 3], [3, null, 5], [6, 0, 9]] };

test('the table that stands for the map has its sums, its means, and in the end its cells', () => {
  const grid = new Grid(VIEW, 'entities');
  const all = grid.table(0, 4000, 0, 3, 1, 1);
  assert.deepEqual(all.rows.map((each) => each.values), [[(6 + 8 + 15 * 2) / 4]]);
  const cells = grid.table(0, 4000, 0, 3, 24, 10);
  assert.deepEqual(cells.rows.map((each) => each.values), [[1, 3, 6], [2, null, 0], [3, 5, 9]]);
  assert.deepEqual(cells.rows.map((each) => [each.from, each.to]), [[null, [3, 'D']], [[3, 'D'], [3, 'M']], [[3, 'M'], null]]);
  assert.deepEqual(new Grid(VIEW, 'queue').table(0, 4000, 0, 3, 1, 1).rows[0].values, [(3 + 5 + 9 * 2) / 4]);
  assert.deepEqual(grid.totals(0, 3), [6, 8, 15]);
  assert.deepEqual(grid.greatest(0, 2, 0, 3), { value: 9, row: 2, column: 2 });
  assert.deepEqual(parts(5, 2), [[0, 2], [2, 5]]);
});

test('what comes is appended once, on the axis that the map has', () => {
  const grid = new Grid(VIEW, 'entities');
  const model = { t: 5000, span: 1000, axis: { cuts: [[3, 'M']] }, cells: { entities: [8, 1] } };
  assert.equal(grid.append(model), true);
  assert.equal(grid.append(model), false);
  assert.deepEqual([...grid.columns[3]], [4, 4, 1]);
  assert.equal(grid.knownAt, 5000);
});

test('a map of one table takes nothing of the others, and begins where the table does', () => {
  const grid = new Grid({ ...VIEW, tables: [{ id: 0 }, { id: 3 }, { id: 4 }] }, 'entities', { table: 3 });
  const cuts = [[3, ''], [3, 'D'], [4, ''], [4, 'x']];
  grid.append({ t: 5000, span: 1000, axis: { cuts }, cells: { entities: [100, 1, 20, 300, 4000] } });
  assert.deepEqual([...grid.columns[3]], [1, 10, 10]);
  assert.deepEqual(grid.bounds(0), [[3, ''], [3, 'D']]);
  assert.equal(grid.first, 3);
});

test('rows of true width lie where their keys are', () => {
  const grid = new Grid({ ...VIEW, heights: [0.5, 0, 0.5] }, 'entities');
  assert.deepEqual([0, 0.4, 0.5, 0.9, 1].map((part) => grid.rowAt(part)), [0, 0, 2, 2, 2]);
  assert.deepEqual([...grid.edges], [0, 0.5, 0.5, 1]);
  assert.equal(grid.isEven, false);
  assert.deepEqual([0, 0.3, 0.4, 0.99].map((part) => new Grid(VIEW, 'entities').rowAt(part)), [0, 0, 1, 2]);
});

test('recordings are the same each time', () => {
  assert.deepEqual([...lines('hostile')], [...lines('hostile')]);
});

/** What the page knows at a time, in seconds. */
function known(at, more = {}) {
  return { at: at * 1000, t: 1000 + at * 1000, answered: 0, decisions: [], notes: [], hasProcesses: true, servers: [{ id: 'server-1', state: 'live', entities: 5 }, { id: 'server-2', state: 'live', entities: 9 }], ...more };
}

test('a process can be cut off from each partner, and from all of a role that has several', () => {
  assert.deepEqual(partnersOf(['dfs-1', 'master-1', 'master-2', 'front-end-1']), [
    ['dfs-1', 'dfs 1'], ['master', 'all masters'], ['master-1', 'master 1'], ['master-2', 'master 2'], ['front-end-1', 'front-end 1']]);
  assert.deepEqual(partnersOf([]), []);
});

test('what was done on the page has marks below the map, and what failed has none', () => {
  const done = [{ n: 1, t: 5, text: 'Killed server 1.', failed: false }, { n: 2, t: 6, text: 'To kill server 1 failed: it is not running', failed: true }];
  assert.deepEqual(marks({ done }), [{ n: 'played-1', t: 5, lane: 'played', sentence: 'Killed server 1.', ranges: [], extents: [] }]);
  assert.deepEqual(marks(null), []);
});

test('each step of the tour says what it waits for, how long, and where to look', () => {
  for (const step of STEPS) {
    assert.ok(step.title && step.text && step.look && step.atMost > 0 && step.stay >= 0, step.title);
    assert.ok(awaitedText(step).length > 0);
  }
  const longest = STEPS.reduce((sum, each) => sum + each.atMost + each.stay, 0);
  assert.ok(longest < 20 * 60, `${longest} s`);
});

test('the tour goes on by itself when what it waited for has come and was read, and by hand at any time', () => {
  const tour = new Tour([
    { title: 'a', until: { decided: 'split' }, atMost: 30, stay: 10 },
    { title: 'b', act: { do: 'kill', role: 'server', number: 'busiest' }, needs: 'servers', until: { decided: 'takeover' }, atMost: 30, stay: 10 },
    { title: 'c', act: { do: 'start', role: 'server', number: 'killed' }, until: { live: 'killed' }, atMost: 30, stay: 0 },
  ]);
  assert.equal(tour.tick(known(0)), false);
  assert.equal(tour.next(known(0)).title, 'a');
  assert.equal(tour.deed(), null);
  tour.isRunning = true;
  const before = { lane: 'split', state: 'done', t: 900 };
  const split = { lane: 'split', state: 'done', t: 3000 };
  assert.equal(tour.tick(known(1, { decisions: [before, { ...split, state: '' }] })), false);
  assert.equal(tour.state, 'waits');
  assert.equal(tour.tick(known(3, { decisions: [split] })), false);
  assert.equal(tour.state, 'there');
  assert.equal(tour.tick(known(12)), false);
  assert.equal(tour.tick(known(13)), true);
  assert.equal(tour.next(known(13)).title, 'b');
  assert.deepEqual(tour.deed(), { do: 'kill', role: 'server', number: '2' });
  assert.equal(tour.tick(known(43)), false);
  assert.equal(tour.state, 'late', 'it does not wait without end');
  assert.equal(tour.next(known(50)).title, 'c');
  assert.deepEqual(tour.deed(), { do: 'start', role: 'server', number: '2' });
  assert.equal(tour.tick(known(51, { servers: [{ id: 'server-2', state: 'dead' }] })), false);
  assert.equal(tour.tick(known(52)), true);
  assert.equal(tour.next(known(53)), null);
  assert.equal(tour.step, null);
});

test('where there are no processes to end, the tour leaves these steps out', () => {
  const tour = new Tour();
  const told = [];
  for (let step = tour.next(known(0, { hasProcesses: false })); step !== null; step = tour.next(known(0, { hasProcesses: false }))) {
    told.push(step);
  }
  assert.ok(told.length >= 6 && told.every((each) => each.needs !== 'servers'));
  assert.equal(busiest([{ id: 'server-1', state: 'live', entities: 1 }]), null);
});
