// Play with a live cluster of two servers. PLAY is the URL of its board, with the token in the fragment.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isFine, launched, opened, pictured } from './pages.mjs';

const [url, token] = process.env.PLAY.split('#admin=');

let browser;
before(async () => {
  browser = await launched();
});
after(() => browser?.close());

const counts = async (page) => Object.fromEntries([...(await page.innerText('#lamp')).matchAll(/([\d,]+) (answered|unknown|lost|wrong)/g)].map(([, count, what]) => [what, Number(count.replaceAll(',', ''))]));
const answered = (page, least) => page.waitForFunction((count) => Number((document.getElementById('lamp')?.innerText.match(/([\d,]+) answered/)?.[1] ?? '0').replaceAll(',', '')) >= count, least);
const row = (page, server) => page.locator('.servers tbody tr', { hasText: server });
const isEmpty = (page, server, empty) => page.waitForFunction(([name, wanted]) => {
  const found = [...document.querySelectorAll('.servers tbody tr')].find((each) => each.innerText.includes(name));
  return found && ((found.querySelector('.strip path')?.getAttribute('d') ?? '') === '') === wanted;
}, [server, empty]);
/** By keyboard: a click may miss what moves down while the page fills. */
async function openSettings({ page, wrong }) {
  await page.locator('#settings summary').waitFor();
  await page.locator('#settings summary').focus();
  await page.keyboard.press('Enter');
  try {
    await page.waitForFunction(() => document.querySelectorAll('#settings[open] .settings tbody tr').length > 20);
  } catch (late) {
    throw new Error(`${await page.evaluate(() => `${document.getElementById('settings').outerHTML.slice(0, 500)} ${document.getElementById('state').innerText}`)} ${wrong}`, { cause: late });
  }
}
const saidLast = (page, text) => page.waitForFunction((wanted) => document.querySelector('.done li')?.innerText.includes(wanted), text);

test('a server is killed on the page: its lane empties, the takeover is told, and checked requests go on', async () => {
  const found = await opened(browser, `${url}#admin=${token}`);
  const { page } = found;
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  assert.equal(await page.evaluate(() => location.hash), '', 'the token is in no address that is kept');

  await page.locator('button[name="load"][value="uniform"]').click();
  await answered(page, 500);
  await page.waitForFunction(() => document.querySelectorAll('.servers tbody tr .strip path').length > 0);
  const carries = await page.evaluate(() => [...document.querySelectorAll('.servers tbody tr')].map((each) => [each.cells[0].innerText.trim().split('.')[0], Number(each.cells[4].innerText)]).sort((a, b) => b[1] - a[1])[0][0]);
  const number = carries.replace('server-', '');
  await isEmpty(page, carries, false);

  await page.locator(`button[aria-label="Kill server ${number}"]`).focus();
  await page.keyboard.press('Enter');
  await saidLast(page, `Killed server ${number}.`);
  await page.waitForFunction(() => /took over range/.test(document.getElementById('decisions').innerText));
  await isEmpty(page, carries, true);
  assert.match(await row(page, carries).innerText(), /dead/);
  await answered(page, (await counts(page)).answered + 500);
  const after = await counts(page);
  assert.deepEqual([after.lost, after.wrong], [0, 0]);
  assert.match(await page.getAttribute('#lamp', 'class'), /good/);

  await page.locator(`button[aria-label="Start server ${number}"]`).click();
  await saidLast(page, `Started server ${number}.`);
  await page.locator(`button[aria-label="Pause server ${number}"]`).waitFor();

  const other = number === '1' ? '2' : '1';
  await page.waitForFunction((name) => [...document.querySelectorAll('.servers tbody tr')].some((each) => each.innerText.includes(name) && /live/.test(each.innerText)), carries);
  await page.selectOption('#cut select[name="from"]', `server-${other}`);
  await page.selectOption('#cut select[name="to"]', 'master-1');
  await page.locator('#cut button').focus();
  await page.keyboard.press('Enter');
  await saidLast(page, `Cut the link of server ${other} to master 1.`);
  await isEmpty(page, `server-${other}`, true);
  await isEmpty(page, carries, false);
  await answered(page, (await counts(page)).answered + 500);
  const cut = await counts(page);
  assert.deepEqual([cut.lost, cut.wrong], [0, 0]);
  assert.match((await page.locator('#lanes .mark.played title').allTextContents()).join(), /Cut the link of server/);
  await isFine(found);
  await pictured(page, 'play-cut-light-1280');
  await page.locator(`button[aria-label="Heal the link of master 1 and server ${other}"]`).click();
  await saidLast(page, `Healed the link of master 1 to server ${other}.`);
  await page.waitForFunction(() => /No link is cut/.test(document.getElementById('play-body').innerText));

  await page.locator('button[name="load"][value="off"]').click();
  await saidLast(page, 'The load is off.');
  assert.ok(asked.every((each) => !each.includes(token)), 'the token is in no address that is asked for');
  await isFine(found);
  await pictured(page, 'play-light-1280');
  await page.setViewportSize({ width: 400, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  await isFine(found);
  await pictured(page, 'play-dark-400');
  await found.close();
});

test('settings are seen by all, and changed by who has the token, in the words of the master', async () => {
  const viewer = await opened(browser, url);
  await openSettings(viewer);
  assert.match(await viewer.page.innerText('.settings'), /balancer\.split-load\s+2000\s+2000\s+Entities a second above which a range is hot/);
  assert.equal(await viewer.page.locator('.settings form').count(), 0);
  assert.ok(await viewer.page.locator('button[name="load"]').first().isDisabled());
  await isFine(viewer);
  await viewer.close();

  const admin = await opened(browser, `${url}#admin=${token}`);
  const { page } = admin;
  await openSettings(admin);
  const value = page.locator('.settings input[aria-label="balancer.split-load"]');
  await value.fill('750');
  await value.press('Enter');
  await page.waitForFunction(() => /balancer\.split-load is now 750\./.test(document.getElementById('settings-body').innerText));
  await isFine(admin);
  await value.fill('much');
  await value.press('Enter');
  await page.waitForFunction(() => /Nothing was changed: the master refused: .*'much' but must be a whole number/.test(document.getElementById('settings-body').innerText));
  assert.equal(await value.inputValue(), 'much', 'what was typed stays');
  assert.deepEqual(admin.wrong.map((each) => each.replace(/.*status of (\d+).*/, '$1')), ['409']);
  await admin.close();
});
