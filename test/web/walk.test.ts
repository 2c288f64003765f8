/** Every view of the page through its states, on the real control plane. A route without a row fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { TestUser } from '../../src/controlplane/server/testing/test-server.ts';
import { ROUTES } from '../../web/address/routes.ts';
import { SETTINGS } from '../../web/views/settings/parts.ts';
import { openPage } from './chromium.ts';
import { databaseHere, skip, startPage } from './project-page.ts';
import { Gate } from './walk/gate.ts';
import { offersOf } from './walk/offers.ts';
import { ROWS, type Row } from './walk/rows.ts';
import { startWalk, type WalkScene } from './walk/scene.ts';
import { assertSound } from './walk/sound.ts';

/** The narrowest window that views have to have room in. */
const NARROW = { width: 360, height: 740 };
/** After this time an answer is asked for again, in milliseconds. */
const STALE_MS = 10_000;
/** Only rows whose name has this; for one who mends a view. */
const ONLY = process.env.TURNSOLE_WALK ?? '';

let browser: Browser;
let walk: WalkScene;

/** A page of somebody, with a gate between it and the server. */
interface Walker {
  readonly page: Page;
  readonly gate: Gate;
  readonly problems: string[];
  /** Loads an address anew: nothing is known of what was shown before. */
  load(path: string): Promise<void>;
  /** Goes to an address as a link of the page does, which costs a third of loading it. */
  go(path: string): Promise<void>;
  /** Waits until the page says something. */
  says(what: string | RegExp): Promise<void>;
}

async function walker(user: TestUser, colorScheme: 'light' | 'dark'): Promise<Walker> {
  const { page, problems } = await openPage(browser, { colorScheme, viewport: NARROW });
  await page.clock.install();
  const url = walk.address;
  await page.context().addCookies([walk.scene.server.cookieOf(user.token, url)]);
  const gate = await Gate.of(page.context());
  const load = async (path: string): Promise<void> => {
    problems.length = 0;
    await page.goto(`${url}/ui${path}`);
  };
  return {
    ...{ page, gate, problems, load },
    go: async (path) => {
      if (page.url() === 'about:blank') return load(path);
      problems.length = 0;
      return page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/ui${path}`)})`);
    },
    says: (what) => page.locator('main').getByText(what).filter({ visible: true }).first().waitFor(),
  };
}

const nameOf = ({ route, part }: Row): string => (part === undefined ? route : `${route}/${part}`);
const rows = ROWS.filter((row) => nameOf(row).includes(ONLY));

test('every route, and every part of the settings, has its row', () => {
  assert.deepEqual(new Set(ROWS.map(({ route }) => route)), new Set(Object.keys(ROUTES)));
  assert.deepEqual(new Set(ROWS.flatMap(({ part }) => part ?? [])), new Set(SETTINGS.map(([part]) => part)));
});

/** A state: who is there, whether a view has it, and what is then looked at. One page goes through all rows. */
interface State {
  readonly name: string;
  who(): TestUser;
  readonly colours: 'light' | 'dark';
  has(row: Row): boolean;
  look(walker: Walker, row: Row): Promise<void>;
}

const isSignedIn = ({ route }: Row): boolean => route !== 'signIn';
/** Concern the reader alone, not the project. */
const isOwn = ({ part = '' }: Row): boolean => ['projects', 'account'].includes(part);

const STATES: readonly State[] = [
  {
    ...{ name: 'loading, then shown', colours: 'light', who: () => walk.boss, has: isSignedIn },
    look: async ({ page, gate, problems, load, says }, row) => {
      gate.turn('held');
      await load(row.path(walk.full));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByRole('status', { name: /^Loading / })
        .first()
        .waitFor();
      gate.turn('open');
      await says(row.shown);
      await assertSound(page, problems);
    },
  },
  {
    ...{ name: 'failed, then tried again', colours: 'dark', who: () => walk.boss, has: isSignedIn },
    look: async ({ page, gate, problems, load, says }, row) => {
      gate.turn('failing');
      await load(row.path(walk.full));
      await says(/^Cannot show /);
      await assertSound(page, problems);
      gate.turn('unwatched');
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await says(row.shown);
    },
  },
  {
    ...{ name: 'shown, and the server fails', colours: 'light', who: () => walk.boss },
    // What is watched as a whole says by its dot that it is away.
    has: ({ route }) => isSignedIn({ route } as Row) && !route.startsWith('cluster'),
    look: async ({ page, gate, problems, load, says }, row) => {
      await load(row.path(walk.full));
      await says(row.shown);
      // What a subscription tells first is an answer as well.
      if (row.isLive === true) await says('live');
      gate.turn('failing');
      await returnUntilAway(page);
      await says(row.shown);
      await assertSound(page, problems);
      gate.turn('unwatched');
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page
        .getByText(/^The server does not answer/)
        .first()
        .waitFor({ state: 'detached' });
    },
  },
  {
    ...{ name: 'empty', colours: 'light', who: () => walk.boss, has: ({ empty }) => empty !== undefined },
    look: async ({ page, problems, go, says }, row) => {
      await go(row.path(walk.empty));
      await says(row.empty ?? '');
      await assertSound(page, problems);
    },
  },
  {
    ...{
      name: 'not there',
      colours: 'dark',
      who: () => walk.boss,
      has: ({ missing }) => missing !== undefined,
    },
    look: async ({ page, problems, go, says }, { missing }) => {
      await go(missing?.path(walk.full) ?? '');
      await says(missing?.says ?? '');
      await assertSound(page, problems);
    },
  },
  {
    ...{ name: 'filtered to nothing, then cleared', colours: 'light', who: () => walk.boss },
    has: ({ filtered }) => filtered !== undefined,
    look: async ({ page, problems, go, says }, row) => {
      await go(`${row.path(walk.full)}?${row.filtered?.search}`);
      await says(row.filtered?.says ?? '');
      await assertSound(page, problems);
      await page.getByRole('button', { name: 'Show all' }).click();
      await says(row.shown);
    },
  },
  {
    ...{ name: 'seen by a viewer', colours: 'dark', who: () => walk.viewer, has: isSignedIn },
    look: async ({ page, problems, go, says }, row) => {
      const { viewer, shown, empty, reads } = row;
      await go(row.path(walk.full));
      await says(viewer ?? shown);
      await assertSound(page, problems);
      assert.deepEqual(await offersOf(page, reads), [], 'offered, though viewers may not do it');
      if (empty === undefined) return;
      await go(row.path(walk.empty));
      await says(viewer ?? empty);
      assert.deepEqual(await offersOf(page, reads), [], 'offered, though viewers may not do it');
    },
  },
  {
    ...{ name: 'not seen by a stranger', colours: 'dark', who: () => walk.stranger },
    has: (row) => ROUTES[row.route].startsWith('/project') && !isOwn(row),
    look: async ({ page, problems, go, says }, row) => {
      await go(row.path(walk.full));
      await says(/^Your role may not /);
      await assertSound(page, problems);
      assert.deepEqual(await offersOf(page, row.reads), []);
    },
  },
  {
    ...{
      name: 'away, and back',
      colours: 'light',
      who: () => walk.boss,
      has: ({ isLive }) => isLive === true,
    },
    look: async ({ page, gate, load, says, problems }, row) => {
      await load(row.path(walk.full));
      await says(row.shown);
      await says('live');
      gate.turn('cut');
      await says(/^away since /);
      await says(row.shown);
      await assertSound(page, problems);
      gate.turn('open');
      await page.evaluate(`dispatchEvent(new Event('online'))`);
      await says('live');
    },
  },
];

/**
 * What is older than some seconds is asked for again when the reader comes back to the page. An answer that was on its way makes a view new
 * once more, so the reader comes back once more, too.
 */
async function returnUntilAway(page: Page): Promise<void> {
  // A part that is folded has one of its own.
  const away = page
    .getByText(/^The server does not answer; this is from /)
    .filter({ visible: true })
    .first();
  for (let tries = 1; ; tries += 1) {
    await page.clock.fastForward(STALE_MS);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
    const isAway = away.waitFor({ timeout: 5000 });
    if (tries === 3) return isAway;
    if (
      await isAway.then(
        () => true,
        () => false,
      )
    )
      return;
  }
}

/** The one view that is for nobody yet. */
async function signIn(): Promise<void> {
  const { page, problems } = await openPage(browser, { viewport: NARROW });
  await page.goto(`${walk.address}/ui${ROUTES.signIn}`);
  await page.getByLabel('User name').fill('nobody');
  await page.getByLabel('Password').fill('nothing');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await assertSound(page, problems);
  await page.context().close();
}

test('views in their states', { skip, timeout: 1_800_000 }, async (t) => {
  const started = await startPage();
  browser = started.browser;
  walk = await startWalk(databaseHere(), started.folder, (_, plain) => plain);
  await signIn();
  for (const { name, who, colours, has, look } of STATES) {
    const one = await walker(who(), colours);
    for (const row of rows.filter(has))
      await t.test(`${nameOf(row)}: ${name}`, async () => {
        one.gate.turn('open');
        await look(one, row);
      });
    await one.page.context().close();
  }
});
