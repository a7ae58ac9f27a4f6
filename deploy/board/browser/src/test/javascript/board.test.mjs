// The board's page in a browser, on replayed recordings. BOARDS is the addresses of their boards by name, as JSON; BOARD_WEB the folder of
// the page; PICTURES, if set, the folder that gets the pictures of the documentation.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { darkened, isFine, launched, opened, pictured } from './pages.mjs';
import { HOSTILE_KEYS, lines } from './recordings.mjs';

const boards = JSON.parse(process.env.BOARDS);
const load = (name) => import(pathToFileURL(path.join(process.env.BOARD_WEB, name)));
const { MEASURES, colour, colourIndex } = await load('scale.js');
const { integer, bytes } = await load('text.js');
const PAGE_BYTES_MAX = 300 * 1024;
const LIBRARY_BYTES_MAX = 80 * 1024;
const NODES_MAX = 2500;

let browser;
before(async () => {
  browser = await launched();
});
after(() => browser?.close());

const made = new Map();

/** The frames of a recording. */
function frames(name) {
  if (!made.has(name)) {
    made.set(name, [...lines(name)].slice(1).map((line) => JSON.parse(line)));
  }
  return made.get(name);
}

/** Opens a board and waits for its map. */
async function board(name, fragment = '', options = {}) {
  const found = await opened(browser, `${boards[name]}/${fragment}`, options);
  await found.page.waitForFunction(() => document.querySelector('.lanes line') !== null);
  return found;
}

const texts = (page, selector) => page.locator(selector).allInnerTexts();
const cells = (page, table) => page.$$eval(`${table} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, ' ').trim())));
const fragment = (page) => page.evaluate(() => location.hash);

test('a new user reads off who is hot, who carries most, what was decided last and why, and what became of server 2', async () => {
  const found = await board('story');
  const { page } = found;
  const last = frames('story').at(-1);
  const headline = await page.innerText('#headline');
  assert.match(headline, /s3 carries most: \d\d % of the load\. s2 is dead\. The hottest partition is customer-0160-b of devstoreaccount1\/orders/);
  const notes = await texts(page, '.note');
  assert.equal(notes.length, 2);
  assert.match(notes[0], /One partition, customer-0160-b of orders.*cleave lab run hot-partition/s);
  const hottest = await texts(page, '.hottest > li');
  assert.equal(hottest.length, last.hottest.length);
  last.hottest.forEach((each, i) => assert.ok(hottest[i].includes(integer(each.entities)), hottest[i]));
  const decisions = await texts(page, '#decisions .decision');
  assert.match(decisions[0], /12:09:00\s+Range 3\.3 was moved from s3 to s1\.\s+balancer: uneven: a server has more load than another/);
  assert.match(decisions[0], /Rejected: range 3\.9: it is in its cooling time for 40 s more/);
  const servers = await cells(page, '.servers');
  const ordered = [...last.servers].sort((a, b) => b.entities - a.entities);
  const total = last.servers.reduce((sum, each) => sum + each.entities, 0);
  ordered.forEach((each, i) => assert.deepEqual(
    [servers[i][0], servers[i][1].split(' ')[0], servers[i][2], servers[i][3], servers[i][4], servers[i][6], servers[i][7], servers[i][8]],
    [`${each.id}.${each.number}`, each.state, integer(each.entities), `${Math.round((100 * each.entities) / total)} %`, integer(each.ranges), (each.cpu / 1000).toFixed(2), bytes(each.store), bytes(each.free)]));
  assert.match(servers.find((row) => row[0] === 's2.12')[9], /12:05:06 s2\.12 was declared dead\./);
  assert.deepEqual(await cells(page, '#masters table'), last.masters.map((each) => [each.id, each.role.toLowerCase(), integer(each.behind), each.address]));
  assert.equal((await cells(page, '#front-ends table')).length, 2);
  assert.deepEqual(await cells(page, '#dfs table'), [
    ['dfs-1', 'no complaint', 'node', `${bytes(last.dfs[0].appended)}/s`, bytes(last.dfs[0].free)],
    ['dfs-2', 'short of space: writes are refused', 'node', `${bytes(0)}/s`, bytes(9e9)],
    ['bookie-1', 'no complaint', 'bookie', 'not known', 'not known'],
    ['bookie-2', 'does not answer', 'bookie', 'not known', 'not known'],
  ]);
  assert.match(await page.innerText('#handoffs'), /move range 3\.0: s1 → s3, seal/);
  assert.deepEqual((await texts(page, '.steps li')).map((each) => each.replace(/\s.*/s, '')), ['prepare', 'catch', 'seal']);
  assert.deepEqual(found.wrong, []);
  await found.close();
});

test('the map has a mark for each split, merge, move, takeover and leader in its time', async () => {
  const found = await board('story');
  const count = (lane) => found.page.locator(`.mark.${lane}`).count();
  assert.deepEqual([await count('split'), await count('merge'), await count('move'), await count('takeover'), await count('leader')], [1, 1, 1, 3, 1]);
  await found.page.locator('.mark.split').dispatchEvent('pointerenter');
  assert.match(await found.page.locator('.mark.split title').textContent(), /^12:02:32 Range 3\.1 was split from s1 to s1 and s3\.$/);
  await found.close();
});

/** The answer behind a map. */
const view = (page, asked) => page.evaluate((query) => fetch(`api/view?${query}`).then((answer) => answer.json()), asked);

test('the table that stands for the map says what the board answered, cell by cell', async () => {
  for (const measure of ['entities', 'queue']) {
    const found = await board('story', `#measure=${measure}`);
    const { page } = found;
    const answer = await view(page, `window=10m&measure=${measure}&rows=equal-load&max=1536&until=${frames('story').at(-1).t}`);
    await page.click('#map-table summary');
    await page.waitForSelector('.map-table tbody td');
    const shown = await cells(page, '.map-table');
    const part = (count, parts, i) => [Math.floor((i * count) / parts), Math.floor(((i + 1) * count) / parts)];
    const rowParts = Math.min(24, answer.cuts.length + 1);
    const columnParts = Math.min(10, answer.times.length);
    assert.equal(shown.length, rowParts);
    for (let r = 0; r < rowParts; r++) {
      const [fromRow, toRow] = part(answer.cuts.length + 1, rowParts, r);
      for (let c = 0; c < columnParts; c++) {
        const [first, last] = part(answer.times.length, columnParts, c);
        let sum = 0;
        let millis = 0;
        for (let i = first; i < last; i++) {
          const column = answer.values[i].slice(fromRow, toRow);
          sum += answer.spans[i] * (MEASURES[measure].adds ? column.reduce((a, b) => a + b, 0) : Math.max(...column));
          millis += answer.spans[i];
        }
        assert.equal(shown[r][1 + c], MEASURES[measure].exact(sum / millis), `row ${r}, column ${c} of ${measure}`);
      }
    }
    assert.deepEqual(found.wrong, []);
    await found.close();
  }
});

test('each cell of the picture has the colour of its value', async () => {
  const end = frames('story').at(-1).t;
  const found = await board('story', `#rows=equal-partitions&times=${end - 10000}~${end}&keys=4,customer-0080~4,customer-0240`);
  const { page } = found;
  const answer = await view(page, `window=10m&measure=entities&rows=equal-partitions&max=1536&until=${end}`);
  await page.click('#map-table summary');
  await page.waitForSelector('.map-table tbody td');
  const rows = (await cells(page, '.map-table')).length;
  const first = answer.cuts.findIndex(([table, key]) => table === 4 && key === 'customer-0080') + 1;
  const shown = answer.times.map((t, i) => i).filter((i) => answer.times[i] > end - 10000);
  const pixels = await page.evaluate(({ rows: rowCount, columns }) => {
    const canvas = document.getElementById('map');
    const line = document.querySelector('.lanes line');
    const [left, right] = [line.x1.baseVal.value, line.x2.baseVal.value];
    const height = canvas.height - 20;
    return Array.from({ length: rowCount }, (_, r) => Array.from({ length: columns }, (__, c) => [...canvas.getContext('2d').getImageData(Math.round(left + ((c + 0.5) * (right - left)) / columns), Math.round(((r + 0.5) * height) / rowCount), 1, 1).data].slice(0, 3)));
  }, { rows, columns: shown.length });
  let compared = 0;
  for (let r = 0; r < rows; r++) {
    shown.forEach((column, c) => {
      assert.deepEqual(pixels[r][c], colour(colourIndex('entities', answer.values[column][first + r])), `row ${r}, column ${c}`);
      compared++;
    });
  }
  assert.ok(compared >= 10, `${compared} cells`);
  await found.close();
});

test('a click on a range shows why it is not split, its last decision and what was before', async () => {
  const found = await board('story');
  const { page } = found;
  await page.click('.note >> text=Show range 3.4');
  await page.waitForSelector('#range .why dd');
  const range = await page.innerText('#range');
  assert.match(range, /^Range 3\.4/);
  assert.match(range, /Why it is not split\s+One partition takes 94 % of its load, and a partition is never divided\./);
  assert.match(range, /Last decision\s+12:05:09\s+s3\.13 took over range 3\.4\./);
  assert.match(range, /Before that\s+12:00:30\s+Range 3\.4 stays as it is\./);
  assert.equal(await fragment(page), '#range=12292');
  assert.deepEqual(found.wrong, []);
  await page.click('#range >> text=Close');
  await page.waitForSelector('#range', { state: 'hidden' });
  await found.close();
});

test('the keyboard reaches each cell, pins it, zooms, and lets go', async () => {
  const found = await board('story');
  const { page } = found;
  await page.focus('#plot');
  await page.keyboard.press('ArrowDown');
  assert.match(await page.innerText('#live'), /^\d+ entities\/s, 12:10:00, from the beginning to devstoreaccount1\/cities, its beginning, range 3\.0 at s1$/);
  await page.keyboard.press('End');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#tip.pinned');
  await page.waitForSelector('#range:not([hidden])');
  const pinned = await page.innerText('#tip .value');
  assert.match(pinned, /^[\d,]+ entities\/s$/);
  await page.keyboard.press('Escape');
  await page.waitForSelector('#tip', { state: 'hidden' });
  await page.keyboard.press('+');
  const zoomed = await fragment(page);
  assert.match(zoomed, /times=\d+%7E\d+&keys=/);
  await page.keyboard.press('Escape');
  assert.doesNotMatch(await fragment(page), /times|keys/);
  const again = await board('story', zoomed);
  await again.page.click('#map-table summary');
  await again.page.waitForSelector('.map-table tbody td');
  const [, to] = /times=(\d+)%7E(\d+)/.exec(zoomed).slice(1);
  assert.equal((await texts(again.page, '.map-table thead th')).at(-1), `to ${new Date(Math.min(to, frames('story').at(-1).t)).toISOString().slice(11, 19)}`);
  await again.close();
  assert.deepEqual(found.wrong, []);
  await found.close();
});

test('a drag zooms to its times and keys, and a double click shows all again', async () => {
  const found = await board('story');
  const { page } = found;
  await page.locator('#plot').scrollIntoViewIfNeeded();
  const box = await page.locator('#map').boundingBox();
  await page.mouse.move(box.x + 300, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 90, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes('times='));
  assert.match(await fragment(page), /^#times=\d+%7E\d+&keys=3%2C/);
  assert.equal(await page.getAttribute('button[aria-pressed]', 'aria-pressed'), 'true');
  await page.locator('#plot').dblclick({ position: { x: 200, y: 20 } });
  await page.waitForFunction(() => !location.hash.includes('times='));
  await found.close();
});

test('each measure and each kind of rows is drawn, and what is not to scale says so', async () => {
  const found = await board('story', '#rows=width&measure=bytes');
  const { page } = found;
  for (const [name, { label }] of Object.entries(MEASURES)) {
    await page.selectOption('select[name="measure"]', name);
    await page.waitForFunction((text) => document.getElementById('legend').textContent.includes(text), `${label},`);
  }
  assert.equal(await page.locator('.not-to-scale').count(), 0);
  await page.selectOption('select[name="rows"]', 'equal-partitions');
  await page.waitForSelector('.not-to-scale');
  await page.selectOption('select[name="table"]', '5');
  await page.waitForFunction(() => location.hash.includes('table=5'));
  await page.click('#map-table summary');
  await page.waitForFunction(() => document.querySelector('.map-table tbody th')?.innerText === 'devstoreaccount1/logs from its beginning to 2026-03-02T01');
  assert.deepEqual(found.wrong, []);
  await found.close();
});

test('hostile names and keys are text and nothing else', async () => {
  const found = await board('hostile', '#range=4098&rows=equal-partitions');
  const { page } = found;
  await page.click('#map-table summary');
  await page.waitForSelector('.map-table tbody td');
  assert.equal(await page.locator('main img, main script, main b, main i, main a').count(), 0);
  assert.doesNotMatch(await page.evaluate(() => document.body.textContent + document.title), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
  assert.deepEqual(await page.$$eval('.key', (all) => all.filter((each) => each.tagName !== 'BDI').length), 0);
  const long = page.locator('.map-table .whole', { hasText: '512 characters' }).first();
  await long.locator('summary').click();
  assert.equal(await long.locator('bdi').innerText(), 'x'.repeat(512));
  const table = await page.innerText('.map-table');
  for (const key of HOSTILE_KEYS.filter((each) => each.length < 40 && !/[\p{Cc}\p{Cf}]/u.test(each))) {
    assert.ok(table.includes(key), key);
  }
  await isFine(found);
  await pictured(page, 'hostile');
  await found.close();
});

test('what is not of now is grey, and says since when', async () => {
  const found = await board('stale');
  const { page } = found;
  assert.equal(await page.innerText('#state'), 'Nothing is known after 12:00:50: no master answers within 2 s.');
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById('main')).filter), 'grayscale(1)');
  assert.match(await page.title(), /^Stale, /);
  assert.deepEqual(found.wrong, []);
  await pictured(page, 'stale');
  await found.close();
});

test('a recording plays to its end: columns are appended as they come, and what is decided is told', async () => {
  const from = frames('story')[530].t; // Ten seconds before the last decision.
  const found = await board('story', `#at=${from}&speed=20`);
  const { page } = found;
  await page.waitForFunction(() => document.getElementById('state').textContent === 'Recording, as of 2026-03-02 12:10:00');
  await page.waitForSelector('#replay >> text=Play');
  assert.match((await texts(page, '#decisions .decision'))[0], /12:09:00\s+Range 3\.3 was moved/);
  await page.click('#map-table summary');
  await page.waitForSelector('.map-table tbody td');
  const shown = /12:\d\d:\d\d/.exec(await page.innerText('#state'))[0];
  assert.equal((await texts(page, '.map-table thead th')).at(-1), `to ${shown}`);
  assert.equal((await cells(page, '.map-table')).flat().filter((each) => each === 'not known').length, 0);
  await page.click('#servers-table summary');
  assert.ok((await cells(page, '#servers-table table')).length > 1);
  await isFine(found); // With the tables that stand for the pictures open.
  await found.close();
});

test('a page that nobody looks at takes what comes, and draws nothing', async () => {
  const watched = () => {
    window.isHidden = false;
    window.drawn = 0;
    Object.defineProperty(document, 'hidden', { get: () => window.isHidden });
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (...all) {
      window.drawn++;
      return draw.apply(this, all);
    };
  };
  const found = await board('story', `#at=${frames('story')[100].t}&speed=5`, { script: watched });
  const { page } = found;
  const before = await page.evaluate(() => new Promise((done) => {
    window.isHidden = true;
    requestAnimationFrame(() => requestAnimationFrame(() => done([window.drawn, document.title])));
  }));
  await page.waitForFunction((title) => document.title > title, before[1]);
  await page.waitForFunction((title) => document.title > title, await page.title());
  assert.equal(await page.evaluate(() => window.drawn), before[0]);
  await page.evaluate(() => {
    window.isHidden = false;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.waitForFunction((drawn) => window.drawn > drawn, before[0]);
  await found.close();
});

test('the page is small, on an hour of 1,536 rows, too', async (t) => {
  const found = await board('large', '', { isWeighed: true });
  const { page } = found;
  const all = [...found.bytes];
  const sum = (list) => list.reduce((total, [, length]) => total + length, 0);
  const libraries = sum(all.filter(([name]) => name.startsWith('/vendor/')));
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  assert.ok(all.length > 10);
  assert.ok(sum(all) < PAGE_BYTES_MAX, `${sum(all)} bytes`);
  assert.ok(libraries > 0 && libraries < LIBRARY_BYTES_MAX, `${libraries} bytes of libraries`);
  assert.ok(nodes < NODES_MAX, `${nodes} nodes`);
  const drawn = await page.evaluate(async () => {
    const plot = document.getElementById('plot');
    plot.focus();
    const begin = performance.now();
    let count = 0;
    while (performance.now() - begin < 2000) {
      plot.dispatchEvent(new KeyboardEvent('keydown', { key: count % 2 === 0 ? '+' : '-' }));
      await new Promise(requestAnimationFrame);
      count++;
    }
    return (1000 * count) / (performance.now() - begin);
  });
  t.diagnostic(`page ${sum(all)} bytes, libraries ${libraries}, nodes ${nodes}; ${drawn.toFixed(1)} frames/s while zooming`);
  assert.deepEqual(found.wrong, []);
  await found.close();
});

for (const width of [400, 1280, 1920]) {
  test(`the story at ${width} pixels, by day, and dark when night falls`, async () => {
    const found = await board('story', '#range=12292', { width });
    await found.page.waitForSelector('#range .why dd');
    await isFine(found);
    await pictured(found.page, `story-${width}-light`);
    await darkened(found.page, '#map');
    await isFine(found);
    await pictured(found.page, `story-${width}-dark`);
    await found.close();
  });
}

test('printed, the page has what is shown and no controls', async () => {
  const found = await board('story');
  await found.page.emulateMedia({ media: 'print' });
  assert.equal(await found.page.isVisible('#controls'), false);
  assert.equal(await found.page.isVisible('#map'), true);
  await pictured(found.page, 'print');
  await found.close();
});

test('the pictures of the documentation', { skip: process.env.PICTURES ? false : 'only with -Dboard.pictures=true' }, async () => {
  const folder = process.env.PICTURES;
  const map = await board('story');
  await map.page.evaluate(() => document.getElementById('map-title').scrollIntoView());
  await pictured(map.page, 'board-map', { fullPage: false, folder });
  await map.close();
  const died = frames('story')[300].t;
  const takeover = await board('story', `#at=${died + 30000}&times=${died - 10000}~${died + 30000}`);
  await takeover.page.evaluate(() => document.getElementById('map-title').scrollIntoView());
  await pictured(takeover.page, 'board-takeover', { fullPage: false, folder });
  await takeover.close();
});
