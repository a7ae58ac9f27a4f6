/**
 * The page: takes frames from the board's stream, and draws what they say. It draws when something came or somebody did something, never by
 * a timer, and in a background tab not at all: it only takes what comes, and draws when it is looked at again.
 */
import { render } from './vendor/lit-html.js';
import { compareKeys } from './axis.js';
import { Chart } from './charts.js';
import { Grid } from './grid.js';
import { WINDOWS, readLink, writeLink } from './link.js';
import { HeatMap } from './map.js';
import { Model, keepOrder, serversByLoad } from './model.js';
import * as panels from './panels.js';
import * as playing from './play.js';
import { marks } from './played.js';
import { MEASURES } from './scale.js';
import { Tour } from './tour.js';
import { clock, escapeKey, moment, rangeName, short, micros } from './text.js';

const SPAN_MIN = 60000;
const VIEW_PAUSE = 10000;
const RETRY = 2000;
const RANGE_FRAMES = 5;
const ZOOMED_MIN = 5000;
const CLICK_MAX = 5;

const $ = (id) => document.getElementById(id);
const properties = new Map();

function theme(name) {
  if (!properties.has(name)) {
    properties.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  }
  return properties.get(name);
}

const app = {
  about: null, link: readLink(location.hash), model: new Model(), grid: null, window: '10m', servers: [], hottest: [],
  heardAt: 0, isConnected: false, isPlaying: false, speed: 1, range: null, rangeProblem: '', pinned: null, marks: [], decisions: [],
  admin: '', play: null, playProblem: '', settings: null, settingsProblem: '', settingsSaid: '', tour: new Tour(), settingsBefore: null, ends: { from: '', to: '' },
};
const map = new HeatMap($('map'), $('overlay'), theme);
const charts = { total: new Chart($('total'), theme), servers: new Chart($('servers-chart'), theme), frontEnds: new Chart($('front-ends-chart'), theme) };
let stream = null;
let viewAt = 0;
let viewTimer = 0;
let viewCall = 0;
let isFetching = false;
let isWantedAgain = false;
let isDue = false;

/** The board wants a token, and has not been given the right one. */
class TokenNeeded extends Error {}

async function ask(path, options = {}) {
  const answer = await fetch(path, options);
  if (answer.status === 401) {
    throw new TokenNeeded();
  }
  if (answer.status === 403 && options.method === 'POST') {
    useAdmin('');
  }
  if (!answer.ok) {
    throw new Error(options.method === 'POST' ? (await answer.text()).trim().slice(0, 500) : `the board answers ${answer.status}: ${(await answer.text()).slice(0, 200)}`);
  }
  return answer.json();
}

// Frames

function connect() {
  stream?.close();
  const { link, about } = app;
  const path = about.live ? 'api/stream' : `api/stream?at=${link.at ?? about.recorded[1]}&speed=${app.isPlaying ? app.speed : 0}`;
  const source = new EventSource(path);
  stream = source;
  source.onopen = () => heard(true);
  source.onerror = () => heard(source.readyState === EventSource.OPEN);
  source.onmessage = (message) => {
    heard(true);
    take(JSON.parse(message.data));
    if (!about.live && !app.isPlaying) {
      source.close(); // It was the only one.
    }
  };
}

function heard(isConnected) {
  app.isConnected = isConnected;
  app.heardAt = performance.now();
  due();
}

function take(frame) {
  const { model, about } = app;
  const outcome = model.apply(frame);
  if (!about.live && app.isPlaying) {
    app.link.at = model.t;
    if (model.t >= about.recorded[1]) {
      play(false);
    }
  }
  const isNew = app.grid !== null && model.stale === '' && app.grid.append(model);
  if (app.grid === null || outcome === 'gap' || app.grid.isFull) {
    wantView(0);
  } else if (outcome === 'axis') {
    wantView(VIEW_PAUSE);
  }
  app.isAhead = (app.isAhead ?? 0) + (isNew ? 1 : 0);
  if (about.play && !document.hidden) {
    fetchPlay();
  }
  const isOther = (frame.events ?? []).some((each) => each.kind === 'settings-changed');
  if ($('settings').open && !document.hidden && (isOther || (app.settings === null && frame.n % RANGE_FRAMES === 0))) {
    fetchSettings();
  }
  if (app.link.range !== null && frame.n % RANGE_FRAMES === 0 && !document.hidden) {
    fetchRange(app.link.range);
  }
  due();
}

/** Draws soon: at once however much came, and only when somebody can see it. */
function due() {
  if (document.hidden) {
    document.title = app.model.t ? `${clock(app.model.t)} Cleave board` : 'Cleave board';
  } else if (!isDue) {
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      draw();
    });
  }
}

// The map

/** Fetches the map again, not before `pause` milliseconds after the last time, and never twice at a time, however long an answer takes. */
function wantView(pause) {
  if (isFetching) {
    isWantedAgain = true;
  } else if (viewTimer === 0) {
    viewTimer = setTimeout(fetchView, Math.max(0, viewAt + pause - performance.now()));
  }
}

function windowName() {
  const { link, about } = app;
  if (link.window !== null) {
    return link.window;
  }
  const long = about.live ? 0 : about.recorded[1] - about.recorded[0];
  return Object.keys(WINDOWS).find((name) => WINDOWS[name] >= long) ?? '5w';
}

async function fetchView() {
  viewTimer = 0;
  viewAt = performance.now();
  isFetching = true;
  isWantedAgain = false;
  const call = ++viewCall;
  const { about } = app;
  const link = { ...app.link };
  app.window = windowName();
  const asked = new URLSearchParams({ window: app.window, measure: link.measure, rows: link.rows, max: 1536 });
  if (link.table !== null) {
    asked.set('table', link.table);
  }
  const until = link.times ? link.times[1] : about.live ? null : link.at ?? about.recorded[1];
  if (until !== null) {
    asked.set('until', until);
  }
  try {
    const view = await ask(`api/view?${asked}`);
    if (call === viewCall) { // Nobody asked for another one meanwhile.
      app.grid = new Grid(view, asked.get('measure'), { order: asked.get('rows'), table: link.table, isHashed: about.hashed === true });
      app.grid.append(app.model);
      app.isAhead = -1;
      app.viewProblem = '';
      due();
    }
  } catch (problem) {
    if (call === viewCall) {
      app.viewProblem = problem.message;
      isWantedAgain = true;
      due();
    }
  }
  if (call === viewCall) {
    isFetching = false;
    if (isWantedAgain) {
      wantView(RETRY);
    }
  }
}

/** What of the grid is shown: times and rows. */
function shown() {
  const { grid, link } = app;
  const [fromRow, toRow] = link.keys ? grid.rowsBetween(...link.keys) : [0, grid.rows];
  if (link.times) {
    return { from: link.times[0], to: link.times[1], fromRow, toRow };
  }
  const to = grid.end;
  const first = grid.times.length > 0 ? grid.times[0] - grid.spans[0] : to;
  return { from: Math.min(Math.max(to - WINDOWS[app.window], first), to - SPAN_MIN), to, fromRow, toRow };
}

function drawMap() {
  const { grid, model } = app;
  const now = shown();
  map.setOwners(model, grid);
  const isNext = app.isAhead === 1 && map.grid === grid && now.to - now.from === map.to - map.from && now.fromRow === map.fromRow && now.toRow === map.toRow;
  if (app.isAhead === 0 && map.grid === grid) {
    map.draw();
  } else if (isNext) {
    map.advance(now.from, now.to);
  } else {
    map.show(grid, now);
  }
  app.isAhead = 0;
  app.marks = [...app.decisions.map((each) => ({ t: each.t, n: each.n, lane: each.lane, sentence: each.sentence, ranges: each.ranges, extents: each.event.extents })), ...marks(app.play)]
    .filter((each) => each.lane !== null && each.t >= now.from && each.t <= now.to);
  render(panels.lanes(app.marks, map, app.about.play, act), $('lanes'));
  const totals = grid.totals(now.fromRow, now.toRow);
  const { label, unit, adds, tick } = MEASURES[grid.measure];
  $('total-title').textContent = `${adds ? 'Sum' : 'Greatest'} of the rows shown, ${unit}`;
  charts.total.show(grid.times, [{ label, colour: theme('--accent'), values: totals }],
    { axis: grid.measure === 'queue' ? micros : tick, left: map.left, right: map.width - map.left - map.plotWidth, from: now.from, to: now.to, height: 70 });
  if ($('map-table').open) {
    render(panels.mapTable(app, now.from, now.to, now.fromRow, now.toRow), $('map-table-body'));
  }
  showTip();
}

function drawCharts() {
  const { history } = app.model;
  const times = history.map((each) => each.t);
  const isLine = times.length > 1;
  $('servers-history').hidden = !isLine;
  $('front-ends-history').hidden = !isLine;
  if (!isLine) {
    return;
  }
  const to = times[times.length - 1];
  const from = Math.min(times[0], to - SPAN_MIN);
  const ids = app.model.servers.map((each) => each.id);
  const of = (list, id, field) => list.find((each) => each.id === id)?.[field] ?? null;
  const byServer = ids.slice(0, 8).map((id, i) => ({ label: id, colour: theme(`--server-${i % 8}`), exact: MEASURES.entities.exact, values: history.map((each) => of(each.servers, id, 'entities')) }));
  charts.servers.show(times, byServer, { axis: short, from, to, height: 130, legend: true });
  render(panels.chartTable('Entities/s by server, since this page is open', times, byServer), $('servers-table'));
  const worst = (field, label, colour) => ({ label, colour, exact: micros, values: history.map((each) => (each.frontEnds.length > 0 ? Math.max(...each.frontEnds.map((one) => one[field])) : null)) });
  const latencies = [worst('p50', 'median of the slowest front end', theme('--accent')), worst('p99', '99 %', theme('--warn'))];
  charts.frontEnds.show(times, latencies, { axis: micros, from, to, height: 130, legend: true });
  render(panels.chartTable('Latencies, since this page is open', times, latencies), $('front-ends-table'));
}

// What the reader may change

let isPlayAsked = false;

async function fetchPlay() {
  if (isPlayAsked) {
    return;
  }
  isPlayAsked = true;
  try {
    learn(await ask('api/play'));
    if (app.tour.tick(seenNow())) {
      tourNext(false);
    }
  } catch (problem) {
    app.playProblem = problem.message;
  } finally {
    isPlayAsked = false;
  }
  due();
}

/** What was done is announced once: a screen reader does not see the list grow. */
function learn(play) {
  const last = play.done[play.done.length - 1];
  if (app.play !== null && last !== undefined && last.n !== app.play.done[app.play.done.length - 1]?.n) {
    $('live').textContent = last.text;
  }
  app.play = play;
}

/** Something that only the holder of the token may do. The board answers what it knows then. */
function post(path, what) {
  return ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json', 'Cleave-Admin': app.admin }, body: JSON.stringify(what) });
}

async function playWith(what) {
  try {
    learn(await post('api/play', what));
    app.playProblem = '';
  } catch (problem) {
    app.playProblem = `This was not done: ${problem.message}`;
  }
  due();
}

async function fetchSettings() {
  try {
    app.settings = (await ask('api/settings')).settings;
    app.settingsProblem = '';
  } catch (problem) {
    app.settingsProblem = `The settings are not known: ${problem.message}`;
  }
  due();
}

async function changeSettings(changes) {
  try {
    app.settings = (await post('api/settings', changes)).settings;
    app.settingsProblem = '';
    app.settingsSaid = `${Object.entries(changes).map(([name, value]) => `${name} is now ${value}`).join('; ')}.`;
  } catch (problem) {
    app.settingsProblem = `Nothing was changed: ${problem.message}`;
    app.settingsSaid = '';
  }
  due();
}

/** The token is kept as long as this tab is open, and sent in a header of what acts, nowhere else. */
function useAdmin(token) {
  app.admin = token;
  if (token === '') {
    sessionStorage.removeItem('admin');
  } else {
    sessionStorage.setItem('admin', token);
  }
  due();
}

// The tour

function seenNow() {
  const { model, play } = app;
  return { at: performance.now(), t: model.t, answered: play?.load.answered ?? 0, decisions: app.decisions, notes: model.notes, servers: model.servers, hasProcesses: (play?.processes ?? []).filter((each) => each.role === 'server').length > 1 };
}

/** @param isAsked by the reader, who then wants to read it; a step that begins by itself leaves the focus where it is */
async function tourNext(isAsked) {
  const { tour } = app;
  const step = tour.next(seenNow());
  if (step === null) {
    due();
    return;
  }
  if (step.settings === 'before') {
    await settingsAsBefore();
  } else if (step.settings) {
    await fetchSettings();
    app.settingsBefore ??= Object.fromEntries((app.settings ?? []).filter((each) => Object.hasOwn(step.settings, each.name)).map((each) => [each.name, each.value]));
    await changeSettings(step.settings);
    app.playProblem = app.settingsProblem;
  }
  const deed = tour.deed();
  if (deed !== null) {
    await playWith(deed);
  }
  due();
  if (isAsked) {
    requestAnimationFrame(() => requestAnimationFrame(() => $('tour-step')?.focus()));
  } else {
    $('live').textContent = `${step.title}. ${step.text}`;
  }
}

async function settingsAsBefore() {
  if (app.settingsBefore !== null) {
    await changeSettings(app.settingsBefore);
    app.settingsBefore = app.settingsProblem === '' ? null : app.settingsBefore;
    app.playProblem = app.settingsProblem;
  }
}

// All of the page

function draw() {
  const { model, about } = app;
  if (about === null) {
    return;
  }
  drawState();
  $('main').hidden = model.knownAt === 0 && app.grid === null;
  $('main').classList.toggle('unknown', model.knownAt === 0);
  if (model.n < 0) {
    return;
  }
  app.decisions = panels.allDecisions(model, app.range);
  app.servers = serversByLoad(model.servers);
  app.hottest = keepOrder(app.hottest, model.hottest, $('hottest').matches(':hover, :focus-within'));
  render(panels.summary(model, act), $('headline'));
  $('notes').hidden = model.notes.length === 0;
  render(panels.notes(model.notes, act), $('notes-body'));
  render(panels.controls(app, act), $('controls'));
  render(panels.legend(app.grid?.measure ?? app.link.measure, app.grid?.order ?? app.link.rows), $('legend'));
  render(panels.hottest(app.hottest, model.axis.tables, app.link.range, act), $('hottest-body'));
  render(panels.decisions(app.decisions, act), $('decisions'));
  render(panels.handoffs(model.running, act), $('handoffs'));
  render(panels.servers(app, app.decisions), $('servers'));
  render(panels.masters(model), $('masters'));
  render(panels.frontEnds(model), $('front-ends'));
  render(panels.dfs(model), $('dfs'));
  $('play').hidden = !about.play;
  if (about.play) {
    render(playing.tour(app, act), $('tour'));
    render(playing.panel(app, act), $('play-body'));
  }
  $('settings').hidden = !about.live;
  if ($('settings').open) {
    render(playing.settings(app, act), $('settings-body'));
  }
  $('range').hidden = app.link.range === null;
  if (app.link.range !== null) {
    $('range-title').textContent = `Range ${rangeName(app.link.range)}`;
    render(panels.range(app, app.decisions, act), $('range-body'));
  }
  if (app.grid !== null) {
    drawMap();
  }
  drawCharts();
}

function drawState() {
  const { model, about } = app;
  const why = about.live || model.stale !== '' ? model.staleness(app.heardAt, performance.now(), model.span, app.isConnected) : '';
  const isStale = why !== '';
  document.body.classList.toggle('stale', isStale);
  document.title = model.t ? `${isStale ? 'Stale, ' : ''}${clock(model.t)} Cleave board` : 'Cleave board';
  const knownAt = model.knownAt || (app.grid ? app.grid.knownAt : 0);
  const line = isStale ? `${knownAt ? `Nothing is known after ${clock(knownAt)}` : 'Nothing is known'}: ${why}.` : model.t ? `${about.live ? 'Live' : 'Recording'}, as of ${moment(model.t)}` : '';
  const problem = app.viewProblem ? ` The map cannot be had: ${app.viewProblem}.` : '';
  // Announced when it changes, not each second: the time is not part of what a screen reader is told.
  $('state').setAttribute('aria-live', isStale ? 'polite' : 'off');
  $('state').textContent = line + problem;
  if (!about.live && about.recorded) {
    $('replay').hidden = false;
    render(panels.replay(app, act), $('replay'));
  }
}

// What a person does

function remember() {
  history.replaceState(null, '', writeLink(app.link) || location.pathname + location.search);
}

function change(what, isMapNew = true) {
  Object.assign(app.link, what);
  remember();
  app.pinned = null;
  map.cursor = null;
  app.isAhead = -1;
  if (isMapNew) {
    clearTimeout(viewTimer);
    viewTimer = 0;
    isFetching = false; // What is under way is for what was asked before.
    wantView(0);
  }
  due();
}

function play(isPlaying) {
  app.isPlaying = isPlaying;
  const { link, about } = app;
  if (isPlaying && (link.at ?? about.recorded[1]) >= about.recorded[1]) {
    seek(about.recorded[0]);
    return;
  }
  remember();
  connect();
  due();
}

function seek(at) {
  app.link.at = at;
  app.model = new Model();
  app.grid = null;
  change({ times: null });
  connect();
}

/** Narrows (below 1) or widens what is shown about a point, each from 0 to 1; at the widest it follows again. */
function zoom(factor, atTime = 0.5, atRow = 0.5) {
  const { from, to, fromRow, toRow } = shown();
  const { grid } = app;
  const length = Math.max(ZOOMED_MIN, (to - from) * factor);
  const count = Math.min(grid.rows, Math.max(1, Math.round((toRow - fromRow) * factor)));
  const begin = Math.round(from + (to - from - length) * atTime);
  const first = Math.min(Math.max(0, Math.round(fromRow + (toRow - fromRow - count) * atRow)), grid.rows - count);
  const isWhole = length >= WINDOWS[app.window] || (begin <= grid.times[0] - grid.spans[0] && begin + length >= grid.end);
  change({ times: isWhole ? null : [begin, Math.round(begin + length)], keys: count === grid.rows ? null : keysOf(first, first + count) }, false);
}

function keysOf(fromRow, toRow) {
  return [app.grid.bounds(fromRow)[0], app.grid.bounds(toRow - 1)[1]];
}

async function fetchRange(id) {
  if (app.range !== null && app.range.id !== id) {
    app.range = null;
  }
  try {
    const at = app.about.live ? '' : `&until=${app.link.at ?? app.about.recorded[1]}`;
    const range = await ask(`api/range?id=${id}${at}`);
    if (app.link.range === id) {
      app.range = range;
      app.rangeProblem = '';
    }
  } catch (problem) {
    app.rangeProblem = `More is not to be had: ${problem.message.trim()}.`;
  }
  due();
}

const act = {
  change,
  zoom,
  whole: () => change({ times: null, keys: null }),
  hold: () => {
    const { from, to } = shown();
    change({ times: app.link.times ? null : [Math.round(from), Math.round(to)] }, app.link.times !== null);
  },
  zoomTo: (keys) => change({ keys: keys[0] === null && keys[1] === null ? null : keys }, false),
  join: (event) => map.join(event && event.t !== undefined ? { t: event.t, extents: event.extents ?? [] } : null),
  select: (id) => {
    app.link.range = id;
    remember();
    fetchRange(id);
    due();
    requestAnimationFrame(() => $('range').focus({ preventScroll: false }));
  },
  selectEvent: (mark) => mark.ranges.length > 0 && act.select(mark.ranges[0]),
  unselect: () => {
    app.link.range = null;
    app.range = null;
    remember();
    due();
  },
  unpin: () => {
    app.pinned = null;
    map.point(null);
    showTip();
  },
  replay: () => play(!app.isPlaying),
  speed: (speed) => {
    app.speed = speed;
    if (app.isPlaying) {
      connect();
    }
    due();
  },
  seek,
  admin: useAdmin,
  play: playWith,
  ends: (what) => {
    Object.assign(app.ends, what);
    due();
  },
  setting: (name, value) => changeSettings({ [name]: value }),
  tourNext: () => tourNext(true),
  tourRun: () => {
    app.tour.isRunning = !app.tour.isRunning;
    due();
  },
  tourEnd: async () => {
    app.tour.end();
    await settingsAsBefore();
    await playWith({ do: 'load', load: 'off' });
  },
  look: (id) => {
    const at = $(id);
    at.tabIndex = -1;
    at.focus({ preventScroll: true });
    at.scrollIntoView({ block: 'start' });
  },
};

/** Shows what the cell under the cursor says beside it, and which marks are about its keys. */
function showTip() {
  const tip = $('tip');
  const cell = map.cursor;
  if (!cell || cell.slot >= map.slots.length || cell.bin >= map.bins) {
    tip.hidden = true;
    joinMarks(null);
    return;
  }
  const told = map.tell(cell);
  tip.hidden = false;
  tip.classList.toggle('pinned', app.pinned !== null);
  render(panels.tip(told, app, app.pinned !== null, act), tip);
  const { left, top, width, height } = map.place(cell);
  const box = tip.getBoundingClientRect();
  const x = left + width + 12 + box.width < map.width ? left + width + 12 : Math.max(0, left - box.width - 12);
  tip.style.left = `${x}px`;
  tip.style.top = `${Math.max(0, Math.min(top + height + 8, map.height - box.height))}px`;
  joinMarks(told);
}

function joinMarks(told) {
  const isOf = ([from, to]) => !app.about.hashed && (to === null || told.from === null || compareKeys(told.from, to) < 0) && (from === null || told.to === null || compareKeys(from, told.to) < 0);
  const joined = new Set(told === null ? [] : app.marks.filter((mark) => mark.extents.some(isOf)).map((mark) => String(mark.n)));
  for (const element of $('lanes').querySelectorAll('.mark')) {
    element.classList.toggle('joined', joined.has(element.dataset.n));
  }
}

function pin() {
  if (map.cursor === null) {
    return;
  }
  app.pinned = map.cursor;
  showTip();
  const told = map.tell(map.cursor);
  $('live').textContent = panels.tipSentence(told, app);
  if (told.range) {
    app.link.range = told.range;
    remember();
    fetchRange(told.range);
  }
}

function listenToThePointer() {
  const plot = $('plot');
  const at = (e) => {
    const box = $('map').getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  let from = null;
  plot.addEventListener('pointerdown', (e) => {
    if (e.button === 0 && !e.target.closest('#tip')) {
      from = at(e);
      if (e.pointerType === 'mouse') {
        plot.setPointerCapture(e.pointerId);
      }
    }
  });
  plot.addEventListener('pointermove', (e) => {
    const [x, y] = at(e);
    if (from !== null && e.pointerType === 'mouse') {
      map.brush = { x0: from[0], y0: from[1], x1: x, y1: y };
      map.drawOverlay();
    } else if (app.pinned === null && map.grid !== null && !e.target.closest('#tip')) {
      map.point(map.cellAt(x, y));
      showTip();
    }
  });
  plot.addEventListener('pointerup', (e) => {
    if (from === null) {
      return;
    }
    const [x, y] = at(e);
    const isDrag = Math.abs(x - from[0]) > CLICK_MAX && Math.abs(y - from[1]) > CLICK_MAX;
    const brush = map.brush;
    from = null;
    map.brush = null;
    if (isDrag && brush) {
      zoomToBrush(brush);
    } else {
      app.pinned = null;
      map.point(map.cellAt(x, y));
      pin();
      showTip();
    }
  });
  plot.addEventListener('pointerleave', () => {
    if (app.pinned === null) {
      map.point(null);
      showTip();
    }
  });
  plot.addEventListener('dblclick', () => act.whole());
  plot.addEventListener('wheel', (e) => {
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      const [x, y] = at(e);
      zoom(e.deltaY < 0 ? 0.7 : 1.4, Math.min(1, Math.max(0, (x - map.left) / map.plotWidth)), Math.min(1, Math.max(0, y / map.plotHeight)));
    }
  }, { passive: false });
}

function zoomToBrush({ x0, y0, x1, y1 }) {
  const time = (x) => Math.round(map.from + ((Math.min(Math.max(x, map.left), map.left + map.plotWidth) - map.left) * (map.to - map.from)) / map.plotWidth);
  const bin = (y) => Math.floor((Math.min(Math.max(y, 0), map.plotHeight - 1) * map.bins) / map.plotHeight);
  const [fromRow] = map.rowsOf(bin(Math.min(y0, y1)));
  const [, toRow] = map.rowsOf(bin(Math.max(y0, y1)));
  const [from, to] = [time(Math.min(x0, x1)), time(Math.max(x0, x1))];
  change({ times: [from, Math.max(to, from + ZOOMED_MIN)], keys: keysOf(fromRow, toRow) }, false);
}

function listenToTheKeyboard() {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], PageUp: [0, -20], PageDown: [0, 20], Home: [-1e6, 0], End: [1e6, 0] };
  $('plot').addEventListener('keydown', (e) => {
    if (e.target !== $('plot') || e.altKey || e.ctrlKey || e.metaKey || app.grid === null) {
      return;
    }
    if (Object.hasOwn(moves, e.key)) {
      app.pinned = null;
      map.move(...moves[e.key].map((step) => (e.shiftKey ? step * 10 : step)));
      showTip();
      if (map.cursor) {
        $('live').textContent = panels.tipSentence(map.tell(map.cursor), app);
      }
    } else if (e.key === 'Enter') {
      pin();
    } else if (e.key === 'Escape') {
      if (map.cursor) {
        act.unpin();
      } else {
        act.whole();
      }
    } else if (e.key === '+' || e.key === '-') {
      zoom(e.key === '+' ? 0.5 : 2);
    } else {
      return;
    }
    e.preventDefault();
  });
}

function anew() {
  properties.clear();
  Object.values(charts).forEach((chart) => chart.forget());
  app.isAhead = -1;
  due();
}

function listen() {
  listenToThePointer();
  listenToTheKeyboard();
  $('skip').onclick = () => $('plot').focus();
  $('map-table').addEventListener('toggle', due);
  $('settings').addEventListener('toggle', () => $('settings').open && fetchSettings());
  document.addEventListener('visibilitychange', anew);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', anew);
  new ResizeObserver(anew).observe($('figure'));
  addEventListener('hashchange', () => {
    const before = app.link;
    tokenOfLink();
    app.link = readLink(location.hash);
    change({});
    if (app.link.range !== null && app.link.range !== before.range) {
      fetchRange(app.link.range);
    }
    if (!app.about.live && app.link.at !== before.at) {
      seek(app.link.at);
    }
  });
  // Only to notice that nothing comes: what is drawn, is drawn by what came.
  setInterval(() => !document.hidden && app.about !== null && drawState(), 1000);
}

/** Takes a viewer's token, and an administrator's, out of the fragment, so that no link and no history keeps them. */
function tokenOfLink() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const token = asked.get('token');
  const admin = asked.get('admin');
  if (token !== null || admin !== null) {
    asked.delete('token');
    asked.delete('admin');
    history.replaceState(null, '', `${location.pathname}${location.search}${asked.size > 0 ? `#${asked}` : ''}`);
  }
  useAdmin(admin ?? sessionStorage.getItem('admin') ?? '');
  return token;
}

/** The board answers a token with a cookie, which all other requests have. */
async function begin(token) {
  try {
    app.about = await ask('api/about', token ? { headers: { Authorization: `Bearer ${token}` } } : {});
    $('token').hidden = true;
  } catch (problem) {
    if (problem instanceof TokenNeeded) {
      $('state').textContent = token ? 'This is not the token of this board.' : 'This board needs its token.';
      $('token').hidden = false;
      $('token').onsubmit = (e) => {
        e.preventDefault();
        begin($('token-text').value.trim());
      };
      return;
    }
    $('state').textContent = `The board cannot be asked: ${problem.message}. The page tries again.`;
    setTimeout(() => begin(token), RETRY);
    return;
  }
  $('where').textContent = escapeKey(app.about.title || `Cluster ${app.about.cluster}`);
  $('about').textContent = app.about.version ?? '';
  app.window = windowName();
  app.speed = app.link.speed || 1;
  app.isPlaying = !app.about.live && app.link.speed > 0;
  listen();
  connect();
  if (app.link.range !== null) {
    fetchRange(app.link.range);
  }
}

begin(tokenOfLink());
