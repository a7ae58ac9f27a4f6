/**
 * The tour: a story of about ten minutes that the reader plays with a cluster of his own. Its steps are data; the page carries them out. Without
 * DOM.
 */

/**
 * The steps. `act` and `settings` are done when a step begins; `until` is awaited, for `atMost` seconds, and then the reader has `stay` seconds before
 * the next step begins by itself; `look` is a part of the page. `needs` names what a step makes no sense without.
 */
export const STEPS = [
  {
    title: 'A cluster at rest',
    text: 'Cleave keeps all tables in one ordered space of keys, cut into ranges, and one server at a time serves a range. The balancer decides where to cut, by thresholds. For this story they are lowered, so that minutes show what otherwise takes hours; the last step sets them back.',
    settings: { 'balancer.split-load': '500', 'balancer.merge-window': '30s', 'balancer.merge-after-split': '30s', 'balancer.merge-after-start': '10s' },
    look: 'map-title', until: { seconds: 5 }, atMost: 10, stay: 20,
  },
  {
    title: 'Load, evenly',
    text: 'Twelve clients read and write, evenly over 96 partitions. Each knows what it wrote and checks every answer: the lamp in Play says what they found. In the map the table’s rows get a colour. Servers sample the keys that are asked for, so the map knows parts of a range before the range is cut.',
    act: { do: 'load', load: 'uniform' },
    look: 'map-title', until: { answered: 5000 }, atMost: 60, stay: 20,
  },
  {
    title: 'A hot partition, and a split',
    text: 'Now two fifths of all requests go to one partition, and there are more of them. A range is hot above 500 entities/s; when it was hot for three of four seconds, the balancer looks for a key that divides its load, and splits it there.',
    act: { do: 'load', load: 'hot-partition' },
    look: 'map-title', until: { decided: 'split' }, atMost: 90, stay: 10,
  },
  {
    title: 'Why it was split',
    text: 'The decision stands here with its reason, its figures, and what was rejected. A split moves no data: each part begins with the files of the whole, and writes its own from then on.',
    look: 'decisions-title', until: { seconds: 5 }, atMost: 10, stay: 30,
  },
  {
    title: 'What no split cures',
    text: 'A partition is never divided. The range that holds the hot one stays as it is, and the note above the map says so; a click on the range says why. The cure is a finer PartitionKey.',
    look: 'notes-title', until: { note: 'one-partition' }, atMost: 60, stay: 30,
  },
  {
    title: 'A server dies',
    text: 'The busiest server is killed. Its ranges are served by nobody until the masters notice, others seal its commit logs, so that it can acknowledge nothing more, and replay them. Look at its lane below: it empties, and the others fill.',
    act: { do: 'kill', role: 'server', number: 'busiest' }, needs: 'servers',
    look: 'servers-title', until: { decided: 'takeover' }, atMost: 90, stay: 30,
  },
  {
    title: 'Nothing is lost',
    text: 'The clients went on. Some writes are unknown: their clients were not told whether they happened, and accept either. Lost and wrong stay at zero: what was acknowledged is still there.',
    needs: 'servers',
    look: 'play-title', until: { answered: 3000 }, atMost: 60, stay: 30,
  },
  {
    title: 'It comes back',
    text: 'The same server is started again. It owns nothing: it is a new incarnation, with the next number, and the balancer moves ranges to it because it carries little.',
    act: { do: 'start', role: 'server', number: 'killed' }, needs: 'servers',
    look: 'servers-title', until: { live: 'killed' }, atMost: 90, stay: 30,
  },
  {
    title: 'Scans',
    text: 'These scans look at twelve entities for each one that they return. They cost the servers what they look at, so the ranges are hot though the clients get little. The note names it.',
    act: { do: 'load', load: 'scan' },
    look: 'notes-title', until: { note: 'scans' }, atMost: 90, stay: 30,
  },
  {
    title: 'Cold ranges are merged',
    text: 'The load is off. Neighbours whose loads were small for half a minute become one range again, because every range costs memory and files. Behind the scenes a merge is a handoff like a split: one change of the map.',
    act: { do: 'load', load: 'off' },
    look: 'decisions-title', until: { decided: 'merge' }, atMost: 180, stay: 30,
  },
  {
    title: 'The end',
    text: 'The thresholds are as they were before. Try the rest yourself: pause a server for half a minute, cut one off from the masters, kill the leading master, append at the end of a table, wipe a server’s disk.',
    settings: 'before',
    look: 'play-title', until: { seconds: 1 }, atMost: 10, stay: 0,
  },
];

const WORDS = {
  seconds: () => 'a few seconds',
  answered: (count) => `${count.toLocaleString('en')} more answers`,
  decided: (lane) => `a ${lane}`,
  note: (kind) => ({ 'one-partition': 'the note about one partition', scans: 'the note about scans' })[kind] ?? kind,
  live: () => 'the server to be live',
};

/** What a step waits for, in words. */
export function awaitedText({ until }) {
  const [kind] = Object.keys(until);
  return WORDS[kind](until[kind]);
}

/** Whether what a step waits for has come. `seen` is what the page knows now, `begin` what it knew when the step began. */
export function isReached(step, begin, seen) {
  const { until } = step;
  switch (Object.keys(until)[0]) {
    case 'seconds':
      return seen.at - begin.at >= until.seconds * 1000;
    case 'answered':
      return seen.answered - begin.answered >= until.answered;
    case 'decided':
      return seen.decisions.some((each) => each.lane === until.decided && each.state === 'done' && each.t > begin.t);
    case 'note':
      return seen.notes.some((each) => each.kind === until.note);
    case 'live':
      return seen.servers.some((each) => each.id === begin.killed && each.state === 'live');
    default:
      return true;
  }
}

/** The busiest server, by its id such as `server-2`; null if none other could take its ranges over. */
export function busiest(servers) {
  const live = servers.filter((each) => each.state === 'live');
  return live.length < 2 ? null : live.reduce((most, each) => (each.entities > most.entities ? each : most)).id;
}

/** Where a reader is in the tour. The page calls `tick` with what it knows, and does what it answers. */
export class Tour {
  constructor(steps = STEPS) {
    this.steps = steps;
    this.index = -1;
    this.isRunning = false;
    this.begin = null;
    this.state = ''; // waits, there, late
    this.killed = '';
  }

  get step() {
    return this.steps[this.index] ?? null;
  }

  /** Begins the next step that makes sense here, and answers it; null at the end. */
  next(seen) {
    do {
      this.index++;
    } while (this.step !== null && this.step.needs === 'servers' && !seen.hasProcesses);
    if (this.step === null) {
      this.index = -1;
      this.isRunning = false;
      return null;
    }
    if (this.step.act?.number === 'busiest') {
      this.killed = busiest(seen.servers) ?? this.killed;
    }
    this.begin = { at: seen.at, t: seen.t, answered: seen.answered, killed: this.killed };
    this.state = 'waits';
    return this.step;
  }

  /** The deed of this step, with the process that it means. */
  deed() {
    const act = this.step?.act;
    return act?.role ? { ...act, number: this.killed.replace(/^.*-/, '') } : act ?? null;
  }

  /** Notices what has come. True if the next step is to begin. */
  tick(seen) {
    if (this.step === null) {
      return false;
    }
    if (this.state === 'waits') {
      if (isReached(this.step, this.begin, seen)) {
        this.state = 'there';
        this.doneAt = seen.at;
      } else if (seen.at - this.begin.at >= this.step.atMost * 1000) {
        this.state = 'late';
        this.doneAt = seen.at;
      }
    }
    return this.isRunning && this.state !== 'waits' && seen.at - this.doneAt >= this.step.stay * 1000;
  }

  end() {
    this.index = -1;
    this.isRunning = false;
    this.state = '';
  }
}
