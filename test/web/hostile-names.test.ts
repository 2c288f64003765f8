/** Every view of a project in which everything is called so as to do harm: nothing becomes markup, nothing runs, nothing bursts the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage } from './chromium.ts';
import { databaseHere, skip, startPage } from './project-page.ts';
import { ROWS } from './walk/rows.ts';
import { startWalk, type WalkScene } from './walk/scene.ts';
import { assertFits } from './walk/sound.ts';

/** Turns the direction of what follows; nothing here turns it back. */
const TURNED = '\u202e';
/** What would be there, had a name become markup or code. */
const HIT = `window.hit=1`;
const HOSTILE: readonly (readonly [what: string, name: string])[] = [
  ['a script', `<script>${HIT}</script>`],
  ['an image', `"><img src=x onerror=${HIT}>`],
  ['a turned direction', `safe${TURNED}gnp.exe`],
  ['isolates that end early', `a\u2069b${TURNED}c`],
  ['a word without end', 'w'.repeat(200)],
  ['hardly anything', '\u200b\u2060\u00ad'],
  ['style', `url(javascript:${HIT})`],
  ['an address', `javascript:${HIT}//`],
  ['a template', '{{constructor.constructor("window.hit=1")()}}#{window.hit=1}'],
  ['words of objects', '__proto__'],
];
/** All of it at once, for what there is one of. */
const WORST = `"><img src=x onerror=${HIT}>${TURNED}${'w'.repeat(120)}`;

/** What of a page is not as it should be: markup of names, and text that turns what stands beside it. */
const HARM = `(() => {
  const harm = [...document.querySelectorAll('img[src="x"], [onerror], main script')].map((one) => one.outerHTML);
  const turns = /[\\u202a-\\u202e\\u2066-\\u2069]/;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (turns.test(data) && parentElement.closest('bdi, pre, option, textarea, script, .cm-editor') === null)
      harm.push('not isolated: ' + parentElement.outerHTML.slice(0, 200));
  }
  for (const one of document.querySelectorAll('[title], [aria-label]'))
    if (turns.test((one.title ?? '') + (one.ariaLabel ?? ''))) harm.push('turned: ' + one.outerHTML.slice(0, 200));
  if (turns.test(document.title)) harm.push('turned title');
  if (window.hit !== undefined) harm.push('code of a name has run');
  return harm;
})()`;

let walk: WalkScene;

/** What things are called: one after the other, and the worst for what has a page of its own. */
function hostileNames(): (what: string, plain: string) => string {
  const given = new Map<string, string>();
  return (what, plain) => {
    const key = `${what} ${plain}`;
    const name = what === 'experiment' && plain === 'checkout' ? WORST : `${WORST}${given.size}`;
    given.set(key, given.get(key) ?? name);
    return given.get(key) ?? name;
  };
}

/** Waits until a view shows what it has. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
}

test('hostile names stay names, in every view', { skip }, async (t) => {
  const { folder, browser } = await startPage();
  walk = await startWalk(databaseHere(), folder, hostileNames());
  for (const [index, [, name]] of HOSTILE.entries()) await walk.save(`h${index}`, name);
  const { page, problems } = await openPage(browser);
  await page.context().addCookies([walk.scene.server.cookieOf(walk.boss.token, walk.address)]);
  for (const { route, part, path } of ROWS)
    await t.test(`${route} ${part ?? ''}`, async () => {
      problems.length = 0;
      for (const width of [1024, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${walk.address}/ui${path(walk.full)}`);
        await settled(page);
        assert.deepEqual(await page.evaluate(HARM), []);
        await assertFits(page);
      }
      assert.deepEqual(problems, []);
    });
});
