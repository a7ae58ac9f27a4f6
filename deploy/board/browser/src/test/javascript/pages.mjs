// Pages in a Chromium that is told everything which would make two runs differ, and that finds no host but this machine.
// CHROMIUM is its program; SCREENSHOTS the folder for pictures.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

/** Machines that build have much else to do. */
const PATIENCE = 120000;
const HEIGHTS = { 400: 800, 1280: 800, 1920: 1080 };

export async function launched() {
  const isRoot = process.getuid?.() === 0; // Chromium's sandbox does not run as root.
  const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', ...(isRoot ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: process.env.CHROMIUM, args, timeout: PATIENCE });
}

const contexts = new Map();

/** The context of all pages of this width: what one of them has loaded, the next one has in its cache. */
function contextOf(browser, width) {
  if (!contexts.has(width)) {
    contexts.set(width, browser.newContext({
      viewport: { width, height: HEIGHTS[width] }, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC', deviceScaleFactor: 1, hasTouch: width === 400,
    }));
  }
  return contexts.get(width);
}

/**
 * A page at an address, and all that went wrong on it: errors on its console, exceptions, violations of its policy, questions that it asks the
 * user, and requests to others.
 */
export async function opened(browser, url, { width = 1280, script = null, isWeighed = false } = {}) {
  const context = await contextOf(browser, width);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const wrong = [];
  const bytes = new Map();
  const { origin, pathname: path } = new URL(url);
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.origin !== origin || (asked.protocol === 'file:' && asked.pathname !== path)) {
      wrong.push(`request to ${asked}`);
    }
  });
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => wrong.push(`exception: ${error.stack}`));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  if (isWeighed) {
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith('/api/') && response.ok()) {
        bytes.set(pathname, (await response.body()).length);
      }
    });
  }
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`));
  });
  if (script !== null) {
    await page.addInitScript(script);
  }
  await page.goto(url);
  return { page, wrong, bytes, close: () => page.close() };
}

/** Makes the page a dark one, and waits until a canvas has followed. */
export async function darkened(page, canvas) {
  const light = await page.locator(canvas).first().evaluate((each) => each.toDataURL());
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(([selector, before]) => document.querySelector(selector).toDataURL() !== before, [canvas, light]);
}

/** What axe finds wrong, one line a kind. */
export async function accessibility(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map((each) => `${each.id}: ${each.nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`);
}

/** A picture of the page, or of the part in view, beside the reports of the build. */
export async function pictured(page, name, { fullPage = true, folder = process.env.SCREENSHOTS } = {}) {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage, animations: 'disabled' });
}

export async function isFine({ page, wrong }) {
  assert.deepEqual(wrong, []);
  assert.deepEqual(await accessibility(page), []);
  const [content, view] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(content <= view, `the page is ${content} px wide in a window of ${view}`);
}
