/** What the leader decided and saw, as sentences. Pure. */
import { integer, listed, rangeName, rangeNumber, span } from './text.js';

/** The lanes below a map, in their order. */
export const LANES = { split: 'Splits', merge: 'Merges', move: 'Moves', takeover: 'Takeovers', leader: 'Leaders' };
/** The lane of what the reader did to a cluster that is played with. */
export const PLAYED = { played: 'Done here' };
const DONE = { split: 'split', merge: 'merged', move: 'moved' };
const ENDS = { 'handoff-ended': 'done', 'handoff-given-up': 'given up', 'handoff-refused': 'refused', 'takeover-ended': 'done' };

/** A figure of an event by name, as text; empty if it has none. */
function figure(event, name) {
  const found = (event.figures || []).find((each) => each[0] === name);
  return found ? String(found[1]) : '';
}

/** The kind of handoff that an event is about; empty if that is not known. */
function kindOf(event, handoffs) {
  const told = figure(event, 'kind') || (handoffs.get(event.handoff) || {}).kind || '';
  return Object.hasOwn(DONE, told) ? told : '';
}

/** The lane of an event, or null. `handoffs` has those that were seen under way, by id. */
export function laneOf(event, handoffs) {
  if (event.kind === 'leader-begun') {
    return 'leader';
  }
  if (event.kind.startsWith('takeover-')) {
    return 'takeover';
  }
  return event.kind.startsWith('handoff-') ? kindOf(event, handoffs) || null : null;
}

function rangesOf(event) {
  const names = (event.ranges || []).map(rangeName);
  return names.length === 1 ? `range ${names[0]}` : `ranges ${listed(names)}`;
}

function handoffSentence(event, handoffs) {
  const kind = kindOf(event, handoffs);
  const what = event.ranges && event.ranges.length > 0 ? rangesOf(event) : figure(event, 'goal') || 'a handoff';
  const from = figure(event, 'from');
  const to = [...new Set(figure(event, 'to').split(',').filter((each) => each !== ''))];
  const isThere = to.length === 1 && to[0] === from;
  const way = isThere ? ` at ${from}` : `${from ? ` from ${from}` : ''}${to.length > 0 ? ` to ${listed(to)}` : ''}`;
  switch (event.kind) {
    case 'handoff-asked':
      return `A handoff was asked for: ${figure(event, 'goal') || what}`;
    case 'handoff-begun':
      return `${capital(kind || 'handoff')} of ${what}${way} began`;
    case 'handoff-ended':
      return kind ? `${capital(what)} ${(event.ranges || []).length > 1 ? 'were' : 'was'} ${DONE[kind]}${way}` : `Handoff of ${what}${way} ended`;
    case 'handoff-given-up':
      return `${kind ? `The ${kind}` : 'The handoff'} of ${what}${way} was given up`;
    default:
      return `The ${kind || 'handoff'} of ${what} was refused`;
  }
}

/** The first sentence about an event: who did what. */
export function sentenceOf(event, handoffs) {
  const servers = listed(event.servers || []);
  const sentence = {
    'leader-begun': () => `${servers || 'A master'} leads the masters`,
    'server-dead': () => `${servers} ${(event.servers || []).length > 1 ? 'were' : 'was'} declared dead`,
    'takeover-ordered': () => `${servers} is to take over ${rangesOf(event)}`,
    'takeover-ended': () => `${servers} took over ${rangesOf(event)}`,
    'open-failed': () => `${servers} could not open ${rangesOf(event)}`,
    verdict: () => `${capital(rangesOf(event))} stays as it is`,
    'drain-begun': () => `${servers} is being drained`,
    'drain-ended': () => `${servers} is drained`,
    'drain-undone': () => `The drain of ${servers} was undone`,
    'settings-changed': () => 'Settings were changed',
    halted: () => 'The leader changes nothing any more',
  }[event.kind];
  const text = sentence
    ? sentence()
    : event.kind.startsWith('handoff-')
      ? handoffSentence(event, handoffs)
      : `${capital(event.kind.replaceAll('-', ' '))}${servers ? `: ${servers}` : ''}`;
  return `${text}.`;
}

/** With a capital, for what begins a sentence and is no name. */
function capital(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/** A figure in words, such as `threshold 2,000 entities/s`; a name that says the unit is not followed by it. */
export function figureText([name, value, unit]) {
  const isNumber = typeof value === 'number';
  const shown = !isNumber ? value : Math.abs(value) >= 100 ? integer(Math.round(value)) : String(Math.round(value * 100) / 100);
  const isUnitTold = (unit ?? '').endsWith('/s') && name.endsWith('-per-second');
  return `${name.replaceAll('-', ' ')} ${shown}${unit && !isUnitTold ? ` ${unit}` : ''}`;
}

const TOLD_ELSEWHERE = new Set(['kind', 'from', 'to', 'goal', 'plan']);

/** What the events of one handoff or takeover have in common; empty for an event on its own. */
function threadOf(event) {
  return event.handoff ? `handoff ${event.handoff}` : event.kind.startsWith('takeover-') ? `takeover ${(event.ranges || []).join()}` : '';
}

/**
 * Events as decisions, newest first: all that was said of one handoff or takeover is one of them, told by its end, with the reason and the
 * figures that stood at its begin.
 */
export function decisionsOf(events, handoffs) {
  const found = [];
  const open = new Map();
  for (const event of events) {
    const thread = threadOf(event);
    const before = open.get(thread);
    if (before && Object.hasOwn(ENDS, event.kind)) {
      before.took = event.t - before.event.t;
      before.state = ENDS[event.kind];
      before.sentence = sentenceOf(merged(before.event, event), handoffs);
      before.rejected = [...new Set([...before.rejected, ...(event.rejected || [])])];
      before.t = event.t;
      open.delete(thread);
      continue;
    }
    const decision = {
      event, t: event.t, n: event.n, lane: laneOf(event, handoffs), sentence: sentenceOf(event, handoffs), state: '',
      reason: event.kind === 'leader-begun' ? '' : event.reason || '',
      figures: (event.figures || []).filter(([name]) => !TOLD_ELSEWHERE.has(name)),
      rejected: event.rejected || [], ranges: (event.ranges || []).map(rangeNumber), servers: event.servers || [],
    };
    found.push(decision);
    if (thread !== '') {
      open.set(thread, decision);
    }
  }
  return found.sort((a, b) => b.t - a.t || b.n - a.n);
}

function merged(begin, end) {
  return { ...end, ranges: end.ranges && end.ranges.length > 0 ? end.ranges : begin.ranges, figures: [...(begin.figures || []), ...(end.figures || [])] };
}

/** The newest decision that names a server, whose incarnations are written `s2.11`; null if there is none. */
export function lastOf(server, decisions) {
  const isIt = (name) => name === server || name.startsWith(`${server}.`);
  return decisions.find((each) => each.servers.some(isIt)) || null;
}

/** The lines over everything: what a person who has one second should know. */
export function headline(model) {
  const lines = [];
  const servers = model.servers.filter((each) => each.state !== 'dead');
  const total = servers.reduce((sum, each) => sum + each.entities, 0);
  lines.push(
    `${integer(total)} entities/s on ${integer(model.ranges)} range${model.ranges === 1 ? '' : 's'} of ${integer(servers.length)} server${servers.length === 1 ? '' : 's'}.`);
  const most = servers.reduce((best, each) => (best === null || each.entities > best.entities ? each : best), null);
  if (most && total > 0 && servers.length > 1) {
    lines.push(`${most.id} carries most: ${Math.round((100 * most.entities) / total)} % of the load.`);
  }
  const gone = model.servers.filter((each) => each.state === 'dead' || each.state === 'silent');
  if (gone.length > 0) {
    lines.push(`${listed(gone.map((each) => `${each.id} is ${each.state}`))}.`);
  }
  return lines;
}

/** The partition that takes most load of all that are known, with the entities/s that are its part; null if none is. */
export function hottestPartition(hottest) {
  return hottest.filter((each) => each.partition).map((each) => ({ key: each.partition.key, range: each.range, owner: each.owner, entities: each.partition.part * each.entities }))
    .reduce((best, each) => (best === null || each.entities > best.entities ? each : best), null);
}

/** How long a handoff took or takes, by steps: each with the milliseconds that it lasted. */
export function stepsOf(handoff) {
  const steps = handoff.steps || [];
  return steps.map(([step, begun], i) => {
    const until = i + 1 < steps.length ? steps[i + 1][1] : handoff.ms;
    return { step, millis: Math.max(0, until - begun), isLast: i === steps.length - 1, text: span(Math.max(0, until - begun)) };
  });
}
