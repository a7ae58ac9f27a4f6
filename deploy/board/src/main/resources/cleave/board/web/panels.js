/** The parts of the page that are text and tables, as templates of lit-html, which escapes all that is put into them. */
import { html, nothing, svg } from './vendor/lit-html.js';
import { shares } from './model.js';
import { MEASURES, ROWS, colour, ticks } from './scale.js';
import { LANES, PLAYED, decisionsOf, figureText, headline, hottestPartition, lastOf, stepsOf } from './stories.js';
import { boundText, bytes, clock, counted, integer, keyParts, listed, micros, moment, rangeName, rangeNumber, span, tableName } from './text.js';
import { SPEEDS, WINDOWS } from './link.js';

const DECISIONS_MAX = 40;
const WINDOW_NAMES = { '10m': '10 minutes', '1h': 'an hour', '6h': '6 hours', '1d': 'a day', '1w': 'a week', '5w': '5 weeks' };

/** A key, isolated from the direction of what stands beside it; the whole of a long one on demand. */
export function key(text, max) {
  const { shown, full, isCut, length } = keyParts(text, max);
  return isCut
    ? html`<bdi class="key">${shown}</bdi> <details class="whole"><summary>all ${length} characters</summary><bdi class="key">${full}</bdi></details>`
    : html`<bdi class="key">${shown}</bdi>`;
}

/** The keys between two bounds, either of which may be null for an end of the key space. */
export function keys(from, to, tables) {
  const table = (id) => html`<bdi>${tableName(id, tables)}</bdi>`;
  const begin = from === null ? html`the beginning` : from[1] === '' ? html`${table(from[0])} from its beginning` : html`${table(from[0])} from ${key(from[1])}`;
  if (to === null) {
    return html`${begin} to the end`;
  }
  if (from !== null && to[0] === from[0]) {
    return html`${begin} to ${key(to[1])}`;
  }
  return to[1] === '' ? html`${begin} up to ${table(to[0])}` : html`${begin} to ${table(to[0])} ${key(to[1])}`;
}

export function summary(model, act) {
  const hot = hottestPartition(model.hottest);
  return html`${headline(model).map((line) => html`<span>${line}</span> `)}${hot === null ? nothing : html`<span>The hottest partition is ${key(hot.key[1])} of <bdi>${tableName(hot.key[0], model.axis.tables)}</bdi>: ${integer(hot.entities)} entities/s, in ${rangeButton(hot.range, act)} at ${hot.owner || 'nobody'}.</span>`}`;
}

export function select(label, name, options, chosen, choose) {
  return html`<label>${label} <select name=${name} @change=${(e) => choose(e.target.value)}>
    ${options.map(([value, text]) => html`<option value=${value} .selected=${value === String(chosen)}>${text}</option>`)}
  </select></label>`;
}

export function controls(app, act) {
  const { link, model } = app;
  const tables = [['', 'all tables'], ...model.axis.tables.map((each) => [String(each.id), tableName(each.id, model.axis.tables)])];
  const isZoomed = link.times !== null || link.keys !== null;
  return html`<div class="bar">
    ${select('Show', 'measure', Object.entries(MEASURES).map(([name, { label, unit }]) => [name, `${label} (${unit})`]), link.measure, (measure) => act.change({ measure }))}
    ${select('Rows of', 'rows', Object.entries(ROWS), link.rows, (rows) => act.change({ rows }))}
    ${select('Last', 'window', Object.keys(WINDOWS).map((name) => [name, WINDOW_NAMES[name]]), app.window, (window) => act.change({ window, times: null }))}
    ${select('Table', 'table', tables, link.table ?? '', (id) => act.change({ table: id === '' ? null : Number(id), keys: null }))}
    <span class="buttons">
      <button type="button" @click=${() => act.zoom(0.5)}>Zoom in</button>
      <button type="button" @click=${() => act.zoom(2)} ?disabled=${!isZoomed}>Zoom out</button>
      <button type="button" @click=${act.whole} ?disabled=${!isZoomed}>Show all</button>
      <button type="button" @click=${act.hold} aria-pressed=${link.times !== null}>${link.times ? 'Follow' : 'Hold'}</button>
    </span>
  </div>`;
}

export function replay(app, act) {
  const [from, to] = app.about.recorded;
  const at = app.link.at ?? to;
  return html`<div class="bar">
    <span>Recording</span>
    <button type="button" @click=${act.replay}>${app.isPlaying ? 'Pause' : 'Play'}</button>
    ${select('Speed', 'speed', SPEEDS.map((each) => [String(each), `${each} ×`]), app.speed, (speed) => act.speed(Number(speed)))}
    <input id="at" type="range" min=${from} max=${to} step="1000" .value=${String(at)} aria-label="Time in the recording" aria-valuetext=${clock(at)} @change=${(e) => act.seek(Number(e.target.value))}>
    <output for="at">${clock(at)}</output>
  </div>`;
}

export function legend(measure, rows) {
  const { label, unit } = MEASURES[measure];
  const steps = Array.from({ length: 64 }, (_, i) => colour(Math.round(1 + (i * 254) / 63)));
  return html`<span class="legend-text">${label}, ${unit}</span>
    <span class="scale" role="img" aria-label="Colours from dark to bright: ${ticks(measure).map((each) => each.text).join(', ')} ${unit}">
      <svg viewBox="0 0 660 30" aria-hidden="true">
        ${steps.map((rgb, i) => svg`<rect x=${i * 9.4 + 20} y="0" width="10.4" height="12" fill=${`rgb(${rgb})`}></rect>`)}
        ${ticks(measure).map(({ text, at }) => svg`<text x=${20 + at * 600} y="27">${text}</text>`)}
      </svg></span>
    <span class="swatch none"></span> nothing
    <span class="swatch unknown"></span> not known
    ${rows === 'width' ? nothing : html`<span class="not-to-scale">Rows of ${ROWS[rows]}: not to scale</span>`}`;
}

export function notes(list, act) {
  return html`<ul class="notes">${list.map((note) => html`<li class="note">
    <span>${note.text}</span>
    <span class="links">
      ${note.range ? rangeButton(note.range, act, 'Show ') : nothing}
      ${note.lab ? html`<span>Lab: <code>cleave lab run ${note.lab}</code></span>` : nothing}
      ${note.runbook ? html`<span>Runbook: <code>docs/operations.md#${note.runbook}</code></span>` : nothing}
    </span></li>`)}</ul>`;
}

function rangeButton(id, act, before = '') {
  return html`<button type="button" class="link" @click=${() => act.select(rangeNumber(id))}>${before}range ${rangeName(id)}</button>`;
}

export function hottest(list, tables, selected, act) {
  if (list.length === 0) {
    return html`<p class="none">No range has load.</p>`;
  }
  const most = Math.max(1, ...list.map((each) => each.entities));
  return html`<p class="help">Rates over ${list[0].window}.</p>
  <ol class="hottest">${list.map((each) => html`<li class=${each.range === selected ? 'chosen' : ''}>
    <div class="line"><strong>${integer(each.entities)}</strong> entities/s <meter min="0" max=${most} .value=${each.entities} aria-label=${`load of range ${rangeName(each.range)}`}></meter> ${rangeButton(each.range, act)} at ${each.owner || 'nobody'}</div>
    <div>${keys(each.from, each.to, tables)}</div>
    ${each.partition ? html`<div>Partition ${key(each.partition.key[1])} of <bdi>${tableName(each.partition.key[0], tables)}</bdi> takes ${Math.round(each.partition.part * 100)} %</div>` : nothing}
    <div class="dim">written ${integer(each.written)}, read ${integer(each.read)}, scanned ${integer(each.scanned)} entities/s; ${(each.cpu / 1000).toFixed(2)} cores; queue ${micros(each.queue)}; ${bytes(each.bytes)}</div>
  </li>`)}</ol>`;
}

function figures(list) {
  return list.length === 0 ? nothing : html`<div class="dim figures">${list.map((each) => html`<span>${figureText(each)}</span>`)}</div>`;
}

function rejected(list) {
  return list.length === 0 ? nothing : html`<div class="dim">Rejected: ${list.join('; ')}</div>`;
}

function decision(each, act) {
  return html`<li class="decision ${each.lane ?? 'other'}" @pointerenter=${() => act.join(each.event)} @pointerleave=${() => act.join(null)} @focusin=${() => act.join(each.event)} @focusout=${() => act.join(null)}>
    <time datetime=${new Date(each.t).toISOString()}>${clock(each.t)}</time>
    <div><strong>${each.sentence}</strong>${each.took !== undefined ? html` <span class="dim">${each.state} after ${span(each.took)}</span>` : nothing}
      ${each.reason ? html`<div>${each.reason}</div>` : nothing}
      ${figures(each.figures)}${rejected(each.rejected)}
      ${each.ranges.length > 0 ? html`<div class="links">${each.ranges.slice(0, 8).map((id) => rangeButton(id, act))}</div>` : nothing}
    </div></li>`;
}

export function decisions(all, act) {
  return all.length === 0
    ? html`<p class="none">Nothing was decided since the board looks.</p>`
    : html`<ol class="decisions">${all.slice(0, DECISIONS_MAX).map((each) => decision(each, act))}</ol>`;
}

export function handoffs(running, act) {
  return running.length === 0
    ? html`<p class="none">None.</p>`
    : html`<ul class="handoffs">${running.map((each) => html`<li>
      <strong>${each.kind || 'handoff'}</strong> ${each.ranges.map((id) => rangeButton(id, act))}: ${each.from} → ${listed([...new Set(each.to)])}, ${each.step}, for ${span(each.ms)}
      <ol class="steps">${stepsOf(each).map((step) => html`<li class=${step.isLast ? 'now' : ''}>${step.step} <span class="dim">${step.text}</span></li>`)}</ol>
      <div class="dim">${each.asker}${each.reason ? `: ${each.reason}` : ''}</div></li>`)}</ul>`;
}

/** The buckets of a server along the key space; one path however many they are. */
function strip(index, parts, buckets, server) {
  const path = parts.map(([from, to]) => `M${from} 0h${to - from}v1h${from - to}z`).join('');
  return svg`<path class="server-${index % 8}" d=${path}><title>${server}</title></path>`;
}

export function servers(app, all) {
  const { model } = app;
  const total = model.servers.reduce((sum, each) => sum + each.entities, 0);
  const buckets = model.cells ? model.cells.owner.length : 1;
  const owned = model.cells ? shares(model.cells.owner) : new Map();
  const cell = (text, className = '') => html`<td class=${className}>${text}</td>`;
  return html`<table class="servers"><caption class="unseen">Servers by load</caption>
    <thead><tr><th scope="col">Server</th><th scope="col">State</th><th scope="col">Entities/s</th><th scope="col">Part</th><th scope="col">Ranges</th><th scope="col">… in the key space (not to scale)</th><th scope="col">CPU, cores</th><th scope="col">Store</th><th scope="col">Disk free</th><th scope="col">Last told</th></tr></thead>
    <tbody>${app.servers.map((each) => {
      const index = model.servers.indexOf(each);
      const last = lastOf(each.id, all);
      const part = total > 0 ? Math.round((100 * each.entities) / total) : 0;
      return html`<tr class="state-${each.state}">
        <th scope="row"><span class="swatch server-${index % 8}"></span>${each.id}<span class="dim">.${each.number}</span></th>
        <td>${each.state}${each.silent > 2000 && each.state !== 'dead' ? html` <span class="dim">silent ${span(each.silent)}</span>` : nothing}${Math.abs(each.clock) > 500 ? html` <span class="dim">clock off by ${span(each.clock)}</span>` : nothing}</td>
        ${cell(integer(each.entities), 'n')}
        <td class="n"><meter min="0" max="100" .value=${part} aria-label=${`part of the load that ${each.id} has`}></meter> ${part} %</td>
        ${cell(integer(each.ranges), 'n')}
        <td class="lane"><svg class="strip" viewBox="0 0 ${buckets} 1" preserveAspectRatio="none" aria-hidden="true">${strip(index, owned.get(index) ?? [], buckets, each.id)}</svg></td>
        ${cell((each.cpu / 1000).toFixed(2), 'n')}${cell(bytes(each.store), 'n')}
        <td class="n">${each.free < 0 ? 'not known' : html`${bytes(each.free)}${each.free < each.reserve ? html` <strong class="warn">below its reserve of ${bytes(each.reserve)}</strong>` : nothing}`}</td>
        <td class="told">${last ? html`<time datetime=${new Date(last.t).toISOString()}>${clock(last.t)}</time> ${last.sentence}` : ''}</td></tr>`;
    })}</tbody></table>`;
}

export function masters(model) {
  return html`<table><caption>Term ${model.term}, led by ${model.leader || 'nobody'}</caption>
    <thead><tr><th scope="col">Master</th><th scope="col">Role</th><th scope="col">Behind, entries</th><th scope="col">Address</th></tr></thead>
    <tbody>${model.masters.map((each) => html`<tr><th scope="row">${each.id}</th><td>${each.role.toLowerCase()}</td><td class="n">${each.behind < 0 ? 'not known' : integer(each.behind)}</td><td>${each.address}</td></tr>`)}</tbody></table>`;
}

export function frontEnds(model) {
  return model.frontEnds.length === 0 ? html`<p class="none">None is known.</p>` : html`<table><caption class="unseen">Front ends</caption>
    <thead><tr><th scope="col">Front end</th><th scope="col">Requests/s</th><th scope="col">5xx/s</th><th scope="col">Median</th><th scope="col">99 %</th></tr></thead>
    <tbody>${model.frontEnds.map((each) => html`<tr class=${each.up ? '' : 'state-dead'}><th scope="row">${each.id}</th>${each.up
      ? html`<td class="n">${integer(each.rate)}</td><td class="n ${each.errors > 0 ? 'warn' : ''}">${each.errors}</td><td class="n">${micros(each.p50)}</td><td class="n">${micros(each.p99)}</td>`
      : html`<td colspan="4">does not answer</td>`}</tr>`)}</tbody></table>`;
}

export function dfs(model) {
  return model.dfs.length === 0 ? html`<p class="none">Embedded, or not known.</p>` : html`<table><caption class="unseen">DFS</caption>
    <thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">Kind</th><th scope="col">Appended</th><th scope="col">Disk free</th></tr></thead>
    <tbody>${model.dfs.map((each) => html`<tr class=${each.up ? '' : 'state-dead'}><th scope="row">${each.id}</th>${each.up
      ? html`<td class=${each.state ? 'warn' : ''}>${each.state || 'no complaint'}</td>`
      : html`<td>does not answer</td>`}<td>${each.kind}</td><td class="n">${each.appended < 0 ? 'not known' : `${bytes(each.appended)}/s`}</td><td class="n">${each.free < 0 ? 'not known' : bytes(each.free)}</td></tr>`)}</tbody></table>`;
}

/** What stands against a handoff of a range, one sentence a condition. */
function whyNot(list) {
  if (list.length === 0) {
    return html`<p>Nothing is known to stand against a handoff.</p>`;
  }
  const words = { split: 'not split', merge: 'not merged', move: 'not moved' };
  return html`<dl class="why">${Object.keys(words).map((of) => {
    const these = list.filter((each) => each.of === of);
    return these.length === 0 ? nothing : html`<dt>Why it is ${words[of]}</dt>${these.map((each) => html`<dd>${each.text}</dd>`)}`;
  })}</dl>`;
}

/** The panel of one range. `range` is what the board answered, null while it is awaited. */
export function range(app, all, act) {
  const { range: details, model } = app;
  const id = app.link.range;
  const tables = model.axis.tables;
  const told = all.filter((each) => each.ranges.includes(id));
  const load = details && (details.load ?? details);
  const hot = model.hottest.find((each) => each.range === id);
  const from = details ? details.from : (model.extents.get(id) ?? [null, null])[0];
  const to = details ? details.to : (model.extents.get(id) ?? [null, null])[1];
  const why = details && details.why && details.why.length > 0 ? details.why : hot ? hot.why : [];
  return html`<div class="links"><button type="button" @click=${act.unselect}>Close</button><button type="button" @click=${() => act.zoomTo([from, to])}>Zoom to its keys</button></div>
    <p>${keys(from, to, tables)}</p>
    ${app.rangeProblem ? html`<p class="warn">${app.rangeProblem}</p>` : nothing}
    ${load && load.entities !== undefined ? html`<p>${details.owner ? html`Served by <strong>${details.owner}</strong>` : 'Served by nobody'}${details.epoch ? html`, epoch ${details.epoch}` : nothing}. ${integer(load.entities)} entities/s: written ${integer(load.written)}, read ${integer(load.read)}, scanned ${integer(load.scanned)}. ${(load.cpu / 1000).toFixed(2)} cores, queue ${micros(load.queue)}, ${bytes(load.bytes)}.</p>` : nothing}
    ${hot && hot.partition ? html`<p>Partition ${key(hot.partition.key[1])} takes ${Math.round(hot.partition.part * 100)} % of its load.</p>` : nothing}
    ${whyNot(why)}
    <h3>Last decision</h3>
    ${told.length > 0 ? html`<ol class="decisions">${decision(told[0], act)}</ol>` : html`<p class="none">None is remembered.</p>`}
    ${told.length > 1 ? html`<h3>Before that</h3><ol class="decisions">${told.slice(1, 8).map((each) => decision(each, act))}</ol>` : nothing}
    ${details && details.bounds && details.bounds.length > 0 ? html`<details><summary>${counted(details.bounds.length, 'sampled bound')}</summary><ul>${details.bounds.map((each) => html`<li>${key(each[1])}</li>`)}</ul></details>` : nothing}`;
}

/** All decisions that the page knows of, those that a range's answer brought among them. */
export function allDecisions(model, range) {
  const known = new Set(model.events.map((each) => each.n));
  const more = ((range && range.events) || []).filter((each) => !known.has(each.n)).map((each) => ({ ...each, extents: [] }));
  return decisionsOf([...more, ...model.events].sort((a, b) => a.n - b.n), model.handoffs);
}

export function tip(told, app, isPinned, act) {
  const { model, grid } = app;
  const value = Number.isNaN(told.value) ? 'not known' : MEASURES[grid.measure].exact(told.value);
  return html`<div class="value">${value}</div>
    <div>${keys(told.from, told.to, model.axis.tables)}</div>
    <div>${moment(told.t)}, over ${span(told.span)}</div>
    <div class="dim">${told.range ? html`Range ${rangeName(told.range)}` : 'Parts of several ranges'}${told.owner ? html`, now at ${told.owner}` : nothing}${told.cells > 1 ? html`; the greatest of ${told.cells} cells` : nothing}</div>
    ${isPinned ? html`<div class="links">${told.range ? rangeButton(told.range, act, 'Show ') : nothing}<button type="button" class="link" @click=${act.unpin}>Let go</button></div>` : nothing}`;
}

/** The same as {@link tip} in one sentence, for the live region. */
export function tipSentence(told, app) {
  const { model, grid } = app;
  const value = Number.isNaN(told.value) ? 'not known' : MEASURES[grid.measure].exact(told.value);
  const at = told.range ? `, range ${rangeName(told.range)}${told.owner ? ` at ${told.owner}` : ''}` : '';
  return `${value}, ${clock(told.t)}, from ${told.from === null ? 'the beginning' : boundText(told.from, model.axis.tables)} to ${boundText(told.to, model.axis.tables)}${at}`;
}

/** Marks of one lane each have a shape of their own, so that they differ without colours, too. */
const SHAPES = {
  split: 'M-5 5L0 -5L5 5M0 -5V5', merge: 'M-5 -5L0 5L5 -5M0 -5V5', move: 'M-5 0H5M1 -4L5 0L1 4', takeover: 'M-4 -4L4 4M4 -4L-4 4', leader: 'M0 -5L4 0L0 5L-4 0Z', played: 'M-4 -5V5L5 0Z',
};

/** The lanes below the map; `isPlayed` adds that of what was done on the page. */
export function lanes(marks, map, isPlayed, act) {
  const titles = isPlayed ? { ...LANES, ...PLAYED } : LANES;
  const names = Object.keys(titles);
  const height = Math.round(18 * map.unit);
  return html`<svg class="lanes" width=${map.width} height=${names.length * height} role="img" aria-label=${`Splits, merges, moves, takeovers and changes of the leader over time; the list of decisions has them all${isPlayed ? '. What was done here; the list in Play has it' : ''}`}>
    ${names.map((lane, i) => svg`<text x="4" y=${(i + 0.72) * height}>${titles[lane]}</text><line x1=${map.left} x2=${map.left + map.plotWidth} y1=${(i + 0.5) * height} y2=${(i + 0.5) * height}></line>`)}
    ${marks.map((mark) => svg`<path class="mark ${mark.lane}" data-n=${mark.n} d=${SHAPES[mark.lane]} transform=${`translate(${map.x(mark.t).toFixed(1)} ${(names.indexOf(mark.lane) + 0.5) * height}) scale(${map.unit.toFixed(2)})`}
      @pointerenter=${() => act.join(mark)} @pointerleave=${() => act.join(null)} @click=${() => act.selectEvent(mark)}><title>${clock(mark.t)} ${mark.sentence}</title></path>`)}
  </svg>`;
}

export function mapTable(app, from, to, fromRow, toRow) {
  const { grid } = app;
  const { label, unit, exact, adds } = MEASURES[grid.measure];
  const table = grid.table(from, to, fromRow, toRow, 24, 10);
  return html`<table class="map-table"><caption>${label}, ${unit}. A cell has the ${adds ? 'sum over its rows' : 'greatest of its rows'} and the mean over its time; zoomed in, it has each row and column.</caption>
    <thead><tr><th scope="col">Keys</th>${table.columns.map((column) => html`<th scope="col">to ${clock(column.to)}</th>`)}</tr></thead>
    <tbody>${table.rows.map((row) => html`<tr><th scope="row">${keys(row.from, row.to, grid.tables)}</th>${row.values.map((value) => html`<td class="n">${value === null ? 'not known' : exact(value)}</td>`)}</tr>`)}</tbody></table>`;
}

/** The table beside a chart: some of its points. */
export function chartTable(title, times, series) {
  const step = Math.max(1, Math.ceil(times.length / 10));
  const rows = times.map((t, i) => i).filter((i) => (times.length - 1 - i) % step === 0);
  return html`<details><summary>The same as a table</summary><div class="scroll" role="region" aria-label=${title} tabindex="0"><table><caption class="unseen">${title}</caption>
    <thead><tr><th scope="col">Time</th>${series.map((each) => html`<th scope="col">${each.label}</th>`)}</tr></thead>
    <tbody>${rows.map((i) => html`<tr><th scope="row">${clock(times[i])}</th>${series.map((each) => html`<td class="n">${each.values[i] === null || each.values[i] === undefined ? '' : each.exact(each.values[i])}</td>`)}</tr>`)}</tbody></table></div></details>`;
}
