/** What a board lets its reader do: play with processes, links and load, and change settings. As templates of lit-html. */
import { html, nothing } from './vendor/lit-html.js';
import { partnersOf, roleOf, spoken } from './played.js';
import { awaitedText } from './tour.js';
import { clock, counted, integer, span } from './text.js';

const DONE_SHOWN = 6;
const DEEDS = { kill: 'Kill', pause: 'Pause', resume: 'Resume', start: 'Start', wipe: 'Wipe' };
const DEED_HELP = { kill: 'SIGKILL', pause: 'SIGSTOP', resume: 'SIGCONT', start: 'start again, on its data', wipe: 'stop, delete what it has on its disk, start' };

/** Asks for the token of who may act. */
function tokenForm(act, what) {
  return html`<form class="bar" @submit=${(e) => { e.preventDefault(); act.admin(e.target.elements.admin.value.trim()); }}>
    <label>Administrator’s token, to ${what} <input name="admin" type="password" autocomplete="off" required></label><button>Use it</button></form>`;
}

/** What the clients found, as a state and a sentence. */
export function lampOf(load) {
  const bad = load.lost + load.wrong;
  const counts = `${integer(load.answered)} answered, ${integer(load.refused)} refused or not answered, ${integer(load.unknown)} unknown, ${integer(load.lost)} lost, ${integer(load.wrong)} wrong`;
  if (bad > 0) {
    return { state: 'bad', text: `${counted(bad, 'answer')} cannot be right: ${counts}.` };
  }
  if (load.trouble) {
    return { state: 'idle', text: `There is no load: ${load.trouble}.` };
  }
  return load.answered > 0 ? { state: 'good', text: `All answers were right: ${counts}.` } : { state: 'idle', text: 'Nothing was asked yet.' };
}

function loads(load, act, isHeld) {
  const lamp = lampOf(load);
  const button = (word, title, help) => html`<button type="button" name="load" value=${word} title=${help} aria-pressed=${load.now === word} ?disabled=${isHeld} @click=${() => act.play({ do: 'load', load: word })}>${title}</button>`;
  const now = load.shapes.find((each) => each.word === load.now);
  return html`<h3 id="load-title">Load by clients that check every answer</h3>
    <div class="bar" role="group" aria-labelledby="load-title">
      ${load.shapes.map((each) => button(each.word, each.word.replaceAll('-', ' '), `${each.text}; ${each.perSecond} requests/s`))}${button('off', 'off', 'no load')}
      ${now ? html`<span class="dim">${now.text}, ${integer(now.perSecond)} requests/s</span>` : nothing}
    </div>
    <p id="lamp" class="lamp ${lamp.state}"><span class="bulb" aria-hidden="true"></span>${lamp.text}</p>
    ${load.findings.length > 0 ? html`<ul class="notes">${load.findings.map((each) => html`<li class="note bad">${each}</li>`)}</ul>` : nothing}
    <p class="help">Unknown: a write whose client was not told whether it happened; both may be found later. Lost: a write that its client was told of is not there. Wrong: nobody wrote this.</p>`;
}

function processes(play, act, isHeld) {
  if (play.missing) {
    return html`<h3>Processes</h3><p class="none">${play.missing}</p>`;
  }
  return html`<h3>Processes</h3>
    <div class="scroll" role="region" aria-label="Processes, table" tabindex="0"><table class="processes"><caption class="unseen">Processes of this cluster</caption>
    <thead><tr><th scope="col">Process</th><th scope="col">State</th><th scope="col">Do</th></tr></thead>
    <tbody>${play.processes.map((each) => html`<tr class=${each.state === 'stopped' ? 'state-dead' : each.state === 'paused' ? 'state-draining' : ''}>
      <th scope="row">${each.role} ${each.number}</th>
      <td>${each.state}${each.readiness && each.readiness !== 'ready' ? html`<div class="dim">${each.readiness}</div>` : nothing}</td>
      <td><span class="buttons">${each.does.map((deed) => html`<button type="button" title=${DEED_HELP[deed] ?? ''} aria-label=${`${DEEDS[deed] ?? deed} ${each.role} ${each.number}`} ?disabled=${isHeld} @click=${() => act.play({ do: deed, role: each.role, number: each.number })}>${DEEDS[deed] ?? deed}</button>`)}</span></td>
    </tr>`)}</tbody></table></div>`;
}

/** A form that cuts a process off from others, and what is cut. What is chosen stays chosen while the page is drawn again. */
function links(app, act, isHeld) {
  const { play, ends } = app;
  if (play.missing) {
    return nothing;
  }
  if (play.noLinks) {
    return html`<h3>Links</h3><p class="none">${play.noLinks}</p>`;
  }
  const named = play.processes.filter((each) => each.partners.length > 0).map((each) => ({ name: `${each.role}-${each.number}`, ...each }));
  const from = named.find((each) => each.name === ends.from) ?? named.find((each) => each.role === 'server') ?? named[0];
  if (from === undefined) {
    return nothing;
  }
  const all = partnersOf(from.partners);
  const isOne = (value) => all.some((each) => each[0] === value);
  const to = isOne(ends.to) ? ends.to : isOne('master') ? 'master' : all[0][0];
  const cut = (e) => {
    e.preventDefault();
    act.play({ do: 'cut', role: from.role, number: from.number, partner: to });
  };
  return html`<h3 id="links-title">Links</h3>
    <form id="cut" class="bar" aria-labelledby="links-title" @submit=${cut}>
      <label>Cut <select name="from" ?disabled=${isHeld} @change=${(e) => act.ends({ from: e.target.value })}>${named.map((each) => html`<option value=${each.name} .selected=${each === from}>${spoken(each.name)}</option>`)}</select></label>
      <label>off from <select name="to" ?disabled=${isHeld} @change=${(e) => act.ends({ to: e.target.value })}>${all.map(([value, text]) => html`<option value=${value} .selected=${value === to}>${text}</option>`)}</select></label>
      <button ?disabled=${isHeld}>Cut</button></form>
    ${play.cut.length === 0 ? html`<p class="none">No link is cut.</p>` : html`<ul class="cut">${play.cut.map(([one, other]) => html`<li>${spoken(one)} and ${spoken(other)}
      <button type="button" aria-label=${`Heal the link of ${spoken(one)} and ${spoken(other)}`} ?disabled=${isHeld} @click=${() => act.play({ do: 'heal', role: roleOf(one), number: one.replace(/^.*-/, ''), partner: other })}>Heal</button></li>`)}</ul>
      <div class="bar"><button type="button" id="heal-all" ?disabled=${isHeld} @click=${() => act.play({ do: 'heal' })}>Heal all</button></div>`}
    <p class="help">On a cut link nothing arrives, in either direction, and connections stay open, as if a network dropped the packets. Healing breaks them, and new ones are made.</p>`;
}

function done(play) {
  const last = [...play.done].reverse().slice(0, DONE_SHOWN);
  return html`<h3>Done here</h3>
    ${play.doing ? html`<p>Under way: ${play.doing} …</p>` : nothing}
    ${last.length === 0 ? html`<p class="none">Nothing yet.</p>` : html`<ol class="done">${last.map((each) => html`<li class=${each.failed ? 'warn' : ''}><time datetime=${new Date(each.t).toISOString()}>${clock(each.t)}</time> ${each.text}</li>`)}</ol>`}`;
}

export function panel(app, act) {
  const { play, admin, playProblem } = app;
  const isHeld = admin === '';
  return html`${isHeld ? tokenForm(act, 'play') : nothing}
    <p role="status" class="warn">${playProblem}</p>
    ${play === null ? html`<p class="none">The board was not asked yet.</p>` : html`<div class="thirds">
      <div>${loads(play.load, act, isHeld)}</div><div>${processes(play, act, isHeld)}${links(app, act, isHeld)}</div><div>${done(play)}</div></div>`}`;
}

/** The balancer's settings; with fields and buttons for who may change them. */
export function settings(app, act) {
  const { settings: all, settingsProblem, settingsSaid, admin, about } = app;
  const isAdmin = about.admin && admin !== '';
  const hint = about.admin
    ? isAdmin ? nothing : tokenForm(act, 'change settings')
    : html`<p class="help">Nobody changes them here: the board was started without <code>--admin-token-file</code>. <code>cleave admin settings set NAME=VALUE</code> does.</p>`;
  return html`${hint}
    <p role="status" class=${settingsProblem ? 'warn' : ''}>${settingsProblem || settingsSaid}</p>
    ${all === null ? nothing : html`<div class="scroll" role="region" aria-label="Settings, table" tabindex="0"><table class="settings"><caption>The masters replicate them. A change counts at once</caption>
    <thead><tr><th scope="col">Setting</th><th scope="col">Value</th><th scope="col">Default</th><th scope="col">What it does</th></tr></thead>
    <tbody>${all.map((each) => html`<tr class=${each.standard && each.value !== each.standard ? 'changed' : ''}>
      <th scope="row">${each.name}</th>
      <td>${isAdmin
        ? html`<form @submit=${(e) => { e.preventDefault(); act.setting(each.name, e.target.elements.value.value.trim()); }}><input name="value" size="8" .value=${each.value} aria-label=${each.name} autocomplete="off" required> <button aria-label=${`Change ${each.name}`}>Change</button></form>`
        : each.value}</td>
      <td>${each.standard}</td><td>${each.text}</td></tr>`)}</tbody></table></div>`}`;
}

/** Where the reader of the tour is, and how to go on. */
export function tour(app, act) {
  const { tour: at, admin } = app;
  const { step } = at;
  if (step === null) {
    return html`<h3>A tour</h3><p class="help">A story of about ten minutes: load, a hot partition, a split, a server that dies, scans, a merge. It puts load on this cluster, kills a server of it, and lowers the balancer’s thresholds until its end.</p>
      <div class="bar"><button type="button" id="tour-begin" ?disabled=${admin === ''} @click=${act.tourNext}>Begin the tour</button></div>`;
  }
  const waits = { waits: `Waiting for ${awaitedText(step)}, at most ${span(step.atMost * 1000)}.`, there: 'It is there.', late: `It has not come within ${span(step.atMost * 1000)}; wait on, or go on.` };
  return html`<div id="tour-step" class="step" tabindex="-1" aria-labelledby="tour-title">
    <h3 id="tour-title">${at.index + 1} of ${at.steps.length}: ${step.title}</h3>
    <p>${step.text}</p>
    <p class="dim" role="status">${waits[at.state] ?? ''}</p>
    <div class="bar">
      <button type="button" id="tour-next" @click=${act.tourNext}>${at.index + 1 === at.steps.length ? 'Finish' : 'Next'}</button>
      <button type="button" aria-pressed=${at.isRunning} @click=${act.tourRun}>${at.isRunning ? 'Let me step' : 'Let it run'}</button>
      <button type="button" @click=${() => act.look(step.look)}>Show what to look at</button>
      <button type="button" @click=${act.tourEnd}>End the tour</button>
    </div></div>`;
}
