/** How soon the list of a cluster with few and with many runs has its first rows. */
import { join } from 'node:path';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Browser } from 'playwright-core';
import { CHAOS_RESULTS, type ChaosResult } from '../../src/api/index.ts';
import { TurnsoleProcess } from '../../test/support/turnsole.ts';
import { detachedCluster } from '../../test/support/up.ts';
import { openPage } from '../../test/web/chromium.ts';
import { linkOf } from '../../test/web/ui-command.ts';

/** Requests to the API server at a time. */
const TOGETHER = 50;

/** For each number of runs the median of so many visits with an empty cache, from the address to the first row, in milliseconds. The page has to be built. */
export async function measureLists(
  browser: Browser,
  counts: readonly number[],
  visits: number,
): Promise<readonly { readonly runs: number; readonly firstRowMs: number }[]> {
  await using cluster = await detachedCluster();
  const { client, kubeconfig, folder } = cluster;
  const data = join(folder, 'ui');
  await using ui = new TurnsoleProcess(['ui', '--no-open', '--kubeconfig', kubeconfig, '--data', data]);
  const first = await openPage(browser);
  await first.page.goto(await linkOf(ui));
  await first.page.getByRole('heading', { level: 1, name: 'Cluster' }).waitFor();
  const cookies = await first.page.context().cookies();
  const address = first.page.url();
  const measured = [];
  let made = 0;
  for (const runs of counts) {
    await makeResults(client, made, runs);
    made = runs;
    const times: number[] = [];
    for (let visit = 0; visit < visits; visit += 1) {
      const { page } = await openPage(browser);
      await page.context().addCookies(cookies);
      const begun = performance.now();
      await page.goto(address);
      await page.locator('tbody tr[data-index="0"]').waitFor();
      times.push(performance.now() - begun);
      await page.context().close();
    }
    const inOrder = times.toSorted((a, b) => a - b);
    measured.push({ runs, firstRowMs: Math.round(inOrder[Math.floor(visits / 2)] ?? 0) });
  }
  return measured;
}

async function makeResults(client: KubeClient, from: number, to: number): Promise<void> {
  for (let next = from; next < to; next += TOGETHER) {
    const names = Array.from({ length: Math.min(TOGETHER, to - next) }, (_, index) => `run-${next + index}`);
    await Promise.all(
      names.map((name) => {
        const status = { experimentStatus: { phase: 'Completed', verdict: 'Pass' } };
        const spec = { engine: 'gone', experiment: 'pod-delete' };
        const body = { metadata: { name }, spec, status };
        return client.create<ChaosResult>(CHAOS_RESULTS, body as never, { namespace: 'default' });
      }),
    );
  }
}
