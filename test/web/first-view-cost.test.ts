/** What first views cost a browser with an empty cache: every view of a project with nothing, with a few runs, 50 and 5,000. Their files alone are held by the build. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_FILES, MOST_OF_A_VIEW, MOST_OF_THE_STUDIO, viewsOver } from '../../build/first-views.ts';
import { assertLight, type FirstViewCost, firstViewCost, isHeavy } from './first-view-cost.ts';
import { addRuns, makeEngines } from './many-runs.ts';
import { databaseHere, skip, startPage } from './project-page.ts';
import { ROWS, type Row } from './walk/rows.ts';
import { startWalk } from './walk/scene.ts';

/** Runs, and engines of the cluster. */
const COUNTS = [50, 5000] as const;
/** What lists runs, or shows one of them. */
const OF_RUNS = /^(?:overview|trends|experiment|experiments|runs|run|compare|cluster)$/;
/** The comparison of a cluster's runs has all of them to choose from: with 5,000 it is 180 kB. */
const GROWS = 'compare of the cluster';

const nameOf = ({ route, part, path }: Row): string => {
  if (part !== undefined) return `${route}/${part}`;
  return ROWS.find((row) => row.route === route)?.path === path ? route : `${route} of the cluster`;
};

test('a view may cost what the table says, and not more', () => {
  assert.deepEqual(viewsOver(MOST_FILES), []);
  const { run } = MOST_FILES;
  for (const more of [
    { ...run, files: run.files + 1 },
    { ...run, bytes: run.bytes + 1 },
  ]) {
    const over = viewsOver({ ...MOST_FILES, run: more });
    assert.equal(over.length, 1);
    assert.match(over[0] ?? '', new RegExp(`^run: ${more.files} files of ${more.bytes} bytes, at most `));
  }
});

test('every first view is light, however many runs there are', { skip }, async (context) => {
  const { folder, browser } = await startPage();
  const walk = await startWalk(databaseHere(), folder, (_what, plain) => plain);
  const cookie = walk.scene.server.cookieOf(walk.boss.token, walk.address);
  const costs: Record<string, FirstViewCost> = {};
  const look = async (row: Row, where: string, path: string, words: string | RegExp): Promise<void> => {
    const url = `${walk.address}/ui${path}`;
    const visit = () => firstViewCost(browser, url, row.route === 'signIn' ? undefined : cookie, words);
    const first = await visit();
    // On a busy machine something changes between two answers, and is asked for once more.
    const cost = isHeavy(first, MOST_OF_A_VIEW) && row.route !== 'studio' ? await visit() : first;
    const name = `${nameOf(row)}, ${where}`;
    costs[name] = cost;
    const { requests, bytes, dataMs } = cost;
    context.diagnostic(`${name}: ${requests} requests, ${(bytes / 1000).toFixed(1)} kB, ${dataMs} ms`);
  };
  for (const row of ROWS) {
    if (row.empty !== undefined) await look(row, 'nothing', row.path(walk.empty), row.empty);
    await look(row, 'few runs', row.path(walk.full), row.shown);
  }
  let made = 0;
  for (const count of COUNTS) {
    await Promise.all([addRuns(walk.scene, made, count), makeEngines(walk.client, made, count)]);
    made = count;
    for (const row of ROWS.filter((row) => OF_RUNS.test(row.route) && nameOf(row) !== GROWS))
      await look(row, `${count} runs`, row.path(walk.full), wordsAmong(row));
  }
  const isStudio = (name: string): boolean => name.startsWith('studio');
  const those = (wanted: boolean) =>
    Object.fromEntries(Object.entries(costs).filter(([name]) => isStudio(name) === wanted));
  assertLight(those(false));
  assertLight(those(true), MOST_OF_THE_STUDIO);
});

/** What a view says when its newest runs are others than those of the walk. */
function wordsAmong({ route, shown }: Row): string | RegExp {
  return route === 'cluster' ? /^default\/chaos-\d+$/ : shown;
}
