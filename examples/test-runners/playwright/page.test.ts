/** A page is used in a browser, by Playwright, while the pods that serve it are deleted. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startCluster } from '@turnsole/cluster';
import { DEPLOYMENTS, SERVICES, type Service } from '@turnsole/kube';
import { chromium, type Page, type Response } from 'playwright-core';
import { podDelete, runChaos, withChaos } from 'turnsole';

/** Chromium cuts its connections when an interface of the machine comes or goes, which says nothing about a service. */
async function reload(page: Page, url: string): Promise<Response | null> {
  for (;;) {
    try {
      return await page.goto(url);
    } catch (error) {
      if (!/ERR_NETWORK_CHANGED/.test(String(error))) throw error;
    }
  }
}

test('whoever reloads the page meanwhile sees no error', async (t) => {
  // Without networks of their own the pods have addresses of this machine, which the browser reaches.
  const cluster = await startCluster(await withChaos({ isolation: 'none' }));
  t.after(() => cluster.close());
  await cluster.apply(await readFile(new URL('../../as-code/app.yaml', import.meta.url), 'utf8'));
  await cluster.waitFor(DEPLOYMENTS, 'web', 'Available');
  const service = await cluster.client.get<Service>(SERVICES, 'web', { namespace: 'default' });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const page = await browser.newPage();
    const url = `http://${service.spec?.clusterIP}:8080/`;
    const deletion = podDelete({
      target: 'deployment/web',
      duration: '6s',
      interval: '3s',
      podsAffected: '34%',
    });
    let isOver = false;
    const chaos = runChaos(cluster, deletion, { signal: t.signal }).finally(() => {
      isOver = true;
    });
    const pods = new Set<string>();
    while (!isOver) {
      const response = await reload(page, url);
      assert.equal(response?.status(), 200);
      pods.add(JSON.parse(await page.innerText('body')).pod);
    }
    const result = await chaos;
    assert.equal(result.verdict, 'Pass', result.reason);
    assert.ok(pods.size > 1, 'pods that came later have answered as well');
  } finally {
    await browser.close();
  }
});
