// Pages in a Chromium that is told everything which would make two runs differ, and that reaches nothing but what it is tested on.
// CHROMIUM is its program; SCREENSHOTS the folder for pictures.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

/** Machines that build have much else to do. */
const PATIENCE = 120000;
const HEIGHTS = { 400: 800, 1280: 800, 1920: 1080 };

export async function launched() {
  const isRoot = process.getuid?.() === 0; // Chromium's sandbox does not run as root.
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: isRoot ? ['--no-sandbox'] : [], timeout: PATIENCE });
}

/**
 * A page at an address, and all that went wrong on it: errors on its console, exceptions, violations of its policy, questions that it asks the
 * user, and requests to others, which are refused.
 */
export async function opened(browser, url, { width = 1280, scheme = 'light', script = null } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] }, colorScheme: scheme, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC', deviceScaleFactor: 1, hasTouch: width === 400,
  });
  context.setDefaultTimeout(PATIENCE);
  const wrong = [];
  const bytes = new Map();
  const origin = new URL(url).origin;
  await context.route('**', (route) => {
    const asked = new URL(route.request().url());
    if (asked.origin === origin && (asked.protocol !== 'file:' || asked.pathname === new URL(url).pathname)) {
      return route.continue();
    }
    wrong.push(`request to ${asked}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => wrong.push(`exception: ${error.stack}`));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on('response', async (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith('/api/') && response.ok()) {
      bytes.set(pathname, (await response.body()).length);
    }
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`));
  });
  if (script !== null) {
    await page.addInitScript(script);
  }
  await page.goto(url);
  return { page, wrong, bytes, close: () => context.close() };
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
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage, animations: 'disabled' });
}

export async function isFine({ page, wrong }) {
  assert.deepEqual(wrong, []);
  assert.deepEqual(await accessibility(page), []);
  const [content, view] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(content <= view, `the page is ${content} px wide in a window of ${view}`);
}
