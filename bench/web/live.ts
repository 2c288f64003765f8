/** How soon the page of `turnsole ui` shows itself, and what happens in its cluster. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CHAOS_RESULTS, type ChaosResult } from '../../src/api/index.ts';
import { TurnsoleProcess } from '../../test/support/turnsole.ts';
import { detachedCluster } from '../../test/support/up.ts';
import { openPage } from '../../test/web/chromium.ts';
import { linkOf } from '../../test/web/ui-command.ts';

/** Measured times, in milliseconds. */
interface LiveTimes {
  /** From the click on the link to the run page with its data, nothing being in the browser's cache. */
  readonly firstViewMs: number;
  /** For each step of the run: from before it was stored in the cluster until it was on the screen. */
  readonly shownMs: readonly number[];
}

const NAME = 'bench';
const IN = { namespace: 'default' };

/** Adds so many steps to a run in a cluster, one after the other, and looks at the page. The page has to be built. */
export async function measureLive(browser: Browser, steps: number): Promise<LiveTimes> {
  await using cluster = await detachedCluster();
  const { client, kubeconfig, folder } = cluster;
  const experimentStatus = { phase: 'Running', verdict: 'Awaited' };
  const body = {
    metadata: { name: NAME },
    spec: { engine: 'gone', experiment: 'pod-delete' },
    status: { experimentStatus, timeline: [] },
  };
  await client.create<ChaosResult>(CHAOS_RESULTS, body as never, IN);
  await using ui = new TurnsoleProcess([
    'ui',
    '--no-open',
    '--kubeconfig',
    kubeconfig,
    '--data',
    join(folder, 'ui'),
  ]);
  const { page } = await openPage(browser);
  const link = await linkOf(ui);
  const clicked = performance.now();
  await page.goto(link);
  await page.getByRole('link', { name: `default/${NAME}` }).waitFor();
  const firstViewMs = performance.now() - clicked;
  await page.goto(`${new URL(link).origin}/ui/cluster/ChaosResult/default/${NAME}?axis=table&v=1`);
  await page.getByText('live', { exact: true }).waitFor();
  const timeline: object[] = [];
  const shownMs: number[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const message = `step number ${step} of it`;
    const time = new Date().toISOString();
    timeline.push({ time, actor: 'experiment/pod-delete', step: 'ExperimentStarted', message });
    const begun = performance.now();
    const seen = page.getByRole('cell', { name: message }).first().waitFor();
    await client.patch<ChaosResult>(CHAOS_RESULTS, NAME, 'merge', { status: { timeline } }, IN);
    await seen;
    shownMs.push(performance.now() - begun);
  }
  return { firstViewMs, shownMs };
}
