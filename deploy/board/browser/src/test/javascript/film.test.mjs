// The page of a film in a browser. FILM is its address: a file, which needs nothing else. PICTURES, if set, is the folder that gets the picture of
// the documentation.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { darkened, isFine, launched, opened, pictured } from './pages.mjs';

let browser;
before(async () => {
  browser = await launched();
});
after(() => browser?.close());

const film = (options) => opened(browser, process.env.FILM, options);
const seconds = async (page) => Number.parseFloat(await page.innerText('#clock'));

/** The lines of the table of a run, the right one first. */
const rows = (page, run) => page.locator('.run').nth(run).locator('table tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
const badLamps = (page, run) => page.locator('.run').nth(run).locator('.lamps .bad').allInnerTexts();

test('both runs are on the page, with their lamps and a table that says what the pictures show', async () => {
  const found = await film();
  const { page } = found;
  assert.match(await page.title(), /^Cleave, simulated: /);
  assert.equal(await page.locator('.run').count(), 2);
  assert.equal(await page.locator('.run canvas[role="img"][aria-label]').count(), 2);
  assert.deepEqual(await page.locator('.run').nth(0).locator('.lamps li').allInnerTexts(), ['history', 'scan', 'map', 'timestamps', 'table', 'convergence', 'core']);
  const told = await rows(page, 0);
  assert.ok(told.length > 0);
  told.forEach(([when, what]) => assert.ok(when !== '' && what !== '', `${when}: ${what}`));
  await isFine(found);
  await found.close();
});

test('it steps from event to event, forth and back, by buttons and by keys', async () => {
  const found = await film();
  const { page } = found;
  const begin = await seconds(page);
  await page.click('#next');
  const next = await seconds(page);
  assert.ok(next > begin, `${next} after ${begin}`);
  assert.match((await rows(page, 0)).flat().join(' '), /the map has \d+ range|starts|crashes|cut|is paused/);
  await page.keyboard.press('ArrowRight');
  const third = await seconds(page);
  assert.ok(third > next);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await seconds(page), next);
  await page.click('#back');
  assert.ok((await seconds(page)) <= begin + 0.001);
  assert.deepEqual(found.wrong, []);
  await found.close();
});

test('it plays, pauses where it is, and ends at the violation of the wrong run alone', async () => {
  const found = await film();
  const { page } = found;
  const begin = await seconds(page);
  await page.selectOption('#speed', '0.05'); // It lasts as long as any machine needs to press the button again.
  await page.click('#play');
  assert.equal(await page.innerText('#play'), 'Pause');
  await page.waitForFunction((from) => Number.parseFloat(document.getElementById('clock').textContent) > from, begin);
  await page.click('#play');
  const paused = await seconds(page);
  assert.equal(await page.innerText('#play'), 'Play');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await seconds(page), paused);
  await page.focus('#at');
  await page.keyboard.press('End');
  assert.deepEqual(await badLamps(page, 0), []);
  const [lamp] = await badLamps(page, 1);
  assert.ok((await page.locator('.run').nth(1).locator('p.finding').innerText()).includes(`${lamp}: `));
  await isFine(found);
  await found.close();
});

test('a link opens it at its time', async () => {
  const first = await film();
  const middle = (await first.page.$eval('#at', (input) => (Number(input.min) + Number(input.max)) / 2)).toFixed(3);
  await first.close();
  const found = await opened(browser, `${process.env.FILM}#t=${middle}`);
  assert.equal(await seconds(found.page), Number(middle));
  await found.close();
});

/** How many colours the first picture has, counted on a copy: Chromium warns of a canvas that is read again and again. */
const colours = (page) => page.locator('.run canvas').first().evaluate((canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  return new Set(new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
});

for (const width of [400, 1280, 1920]) {
  test(`the film at ${width} pixels, by day, and dark when night falls`, async () => {
    const found = await film({ width });
    const { page } = found;
    await page.click('#next');
    assert.ok((await colours(page)) > 10);
    await isFine(found);
    await pictured(page, `film-${width}-light`);
    await darkened(page, '.run canvas');
    assert.ok((await colours(page)) > 10);
    await isFine(found);
    await pictured(page, `film-${width}-dark`);
    await found.close();
  });
}

test('the picture of the documentation', { skip: process.env.PICTURES ? false : 'only with -Dboard.pictures=true' }, async () => {
  const found = await opened(browser, `${process.env.FILM}#t=3.22`);
  const { y, height } = await found.page.locator('.said').first().boundingBox();
  await found.page.setViewportSize({ width: 1280, height: Math.ceil(y + height) + 5 });
  await found.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await pictured(found.page, 'film', { fullPage: false, folder: process.env.PICTURES });
  await found.close();
});
