/** What has to hold of a page whatever it shows. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { accessibilityProblems } from '../axe.ts';

/** What a browser itself says of a request that did not succeed. */
const OF_A_REQUEST = /^Failed to load resource: /;

/** Words of programs that no reader should see. Manifests and logs may have them. */
const OF_PROGRAMS = /\b(?:undefined|NaN|Infinity|null)\b|\[object \w+\]/;

/** What a screen shows and what it is read as, a line for each text, without manifests, logs, and what the reader types. */
const READ = `(() => {
  const isRaw = (one) => one.closest('pre, .cm-editor, textarea, script, style') !== null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const said = [document.title];
  while (walker.nextNode()) if (!isRaw(walker.currentNode.parentElement)) said.push(walker.currentNode.data);
  for (const one of document.querySelectorAll('[aria-label], [title]')) said.push(one.ariaLabel ?? '', one.title ?? '');
  return said.join('\\n');
})()`;

/**
 * A heading, no words of programs, nothing in the console but requests that a test had fail, nothing for axe to find, no scrolling to the
 * side.
 */
export async function assertSound(page: Page, problems: readonly string[]): Promise<void> {
  const headings = await page.getByRole('heading', { level: 1 }).allInnerTexts();
  assert.equal(headings.length, 1, `one heading of the page, not ${JSON.stringify(headings)}`);
  assert.match(headings[0] ?? '', /\S/);
  const text = String(await page.evaluate(READ));
  assert.equal(OF_PROGRAMS.exec(text)?.[0], undefined, aroundOf(text));
  assert.deepEqual(await accessibilityProblems(page), []);
  await assertFits(page);
  assert.deepEqual(
    problems.filter((problem) => !OF_A_REQUEST.test(problem)),
    [],
  );
}

/** Nothing is wider than the window, and if so the test says what. */
export async function assertFits(page: Page): Promise<void> {
  const wide = await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isWide = (one) => one.getBoundingClientRect().right > clientWidth + 0.5;
    const inScroller = (one) => {
      for (let up = one.parentElement; up !== null && up !== document.body; up = up.parentElement)
        if (getComputedStyle(up).overflowX !== 'visible') return true;
      return false;
    };
    return [...document.body.querySelectorAll('*')].filter((one) => isWide(one) && !inScroller(one))
      .map((one) => one.outerHTML.slice(0, 160)).concat(scrollWidth + ' px').slice(-4);
  })()`);
  assert.deepEqual(wide, [], 'does not scroll sideways');
}

function aroundOf(text: string): string {
  const { index = 0 } = OF_PROGRAMS.exec(text) ?? {};
  return text.slice(Math.max(0, index - 80), index + 80);
}
