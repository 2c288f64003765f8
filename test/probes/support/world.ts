/** Real peers of every type of probe, which are up or down together. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@turnsole/kube/base/clock';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Secret } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import type { Probe } from '../../../src/api/schema/probe.ts';
import type { ProbeMode } from '../../../src/api/schema/vocabulary.ts';
import { createPromProbe } from '../../../src/experiment/probes/prom-probe.ts';
import { measureContext, promProbe } from '../../../src/experiment/probes/testing/builders.ts';
import { startPeer } from '../../../src/experiment/probes/testing/http-peer.ts';
import { SLO_TOKEN, startSloPlatform } from '../../../src/experiment/probes/testing/slo-platform.ts';
import type { ObservedServer } from './prometheus.ts';

/** What the probes of one engine look at. */
export interface World extends AsyncDisposable {
  /** Whether probes pass from now on; resolves when all peers are so. */
  set(isUp: boolean): Promise<void>;
  /** A probe of each type in a mode; names are `<what>-<mode>`. */
  probes(mode: ProbeMode): readonly Probe[];
}

/** How often and how long its probes try: patient with a busy machine. */
const RUN: Probe['runProperties'] = { probeTimeout: '30s', interval: '0s', probePollingInterval: '200ms' };
const TOKEN_SECRET = 'slo-token';

/** Starts peers that are up. @param prometheus is left out when undefined */
export async function startWorld(
  client: KubeClient,
  namespace: string,
  prometheus: ObservedServer | undefined,
): Promise<World> {
  let isWebUp = true;
  const web = await startPeer((request, response) => {
    response.statusCode = isWebUp ? 200 : 503;
    response.end(isWebUp && request.method === 'POST' ? 'stored' : 'no');
  });
  const platform = await startSloPlatform(Date.now());
  let burnt = 0;
  platform.objectives.set(`acme/default/${namespace}/checkout`, {
    burndown: (from, to) => [
      [from, 99],
      [to, 99 - burnt],
    ],
  });
  // Pods have a /tmp of their own.
  const folder = await mkdtemp('/var/tmp/turnsole-world-');
  const file = join(folder, 'state');
  await writeFile(file, 'up');
  const metric = `turnsole_world_up{namespace="${namespace}"}`;
  // A scrape that comes too late on a busy machine takes the value away; the one before will do.
  const query = `last_over_time(${metric}[5m])`;
  const data = { 'X-API-KEY': Buffer.from(SLO_TOKEN).toString('base64') };
  await client.create<Secret>(SECRETS, { metadata: { name: TOKEN_SECRET }, data }, { namespace });

  const set = async (isUp: boolean): Promise<void> => {
    isWebUp = isUp;
    burnt = isUp ? 0 : 5;
    await writeFile(file, isUp ? 'up' : 'down');
    await setMark(client, namespace, isUp);
    prometheus?.metrics.set(metric, isUp ? 1 : 0);
    if (prometheus !== undefined) await seen(prometheus.endpoint, query, isUp ? '1' : '0');
  };
  await set(true);
  return {
    set,
    probes: (mode) => {
      const all = [
        get(web.url),
        post(web.url),
        command(file),
        commandInPod(file),
        mark(namespace),
        ...(prometheus === undefined ? [] : [metricOf(prometheus.endpoint, query)]),
        objective(platform.endpoint, namespace),
      ];
      return all.map((probe) => ({ ...probe, name: `${probe.name}-${mode}`, mode, runProperties: RUN }));
    },
    async [Symbol.asyncDispose]() {
      prometheus?.metrics.delete(metric);
      await platform[Symbol.asyncDispose]();
      await web[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Sketch = Omit<Probe, 'mode' | 'runProperties'>;

function get(url: string): Sketch {
  const method = { get: { criteria: '==', responseCode: '200' } };
  return { name: 'http-get', type: 'httpProbe', 'httpProbe/inputs': { url, method } };
}

function post(url: string): Sketch {
  const method = { post: { body: 'order', criteria: 'equal', responseBody: 'stored' } };
  return { name: 'http-post', type: 'httpProbe', 'httpProbe/inputs': { url, method } };
}

function command(file: string): Sketch {
  const comparator = { type: 'string', criteria: 'equal', value: 'up' } as const;
  return { name: 'cmd', type: 'cmdProbe', 'cmdProbe/inputs': { command: `cat ${file}`, comparator } };
}

function commandInPod(file: string): Sketch {
  const inputs = { ...command(file)['cmdProbe/inputs'], source: { image: 'busybox' } };
  return { name: 'cmd-pod', type: 'cmdProbe', 'cmdProbe/inputs': inputs as Probe['cmdProbe/inputs'] };
}

function mark(namespace: string): Sketch {
  const inputs = { version: 'v1', resource: 'configmaps', namespace, labelSelector: 'world=up' };
  return { name: 'k8s', type: 'k8sProbe', 'k8sProbe/inputs': { ...inputs, operation: 'present' } };
}

function metricOf(endpoint: string, query: string): Sketch {
  const comparator = { criteria: '==', value: '1' };
  return { name: 'prom', type: 'promProbe', 'promProbe/inputs': { endpoint, query, comparator } };
}

function objective(platformEndpoint: string, projectIdentifier: string): Sketch {
  const scope = { accountIdentifier: 'acme', orgIdentifier: 'default', projectIdentifier };
  const inputs = {
    platformEndpoint,
    sloIdentifier: 'checkout',
    sloSourceMetadata: { apiTokenSecret: TOKEN_SECRET, scope },
    comparator: { type: 'float', criteria: '<', value: '1' },
  };
  return { name: 'slo', type: 'sloProbe', 'sloProbe/inputs': inputs };
}

async function setMark(client: KubeClient, namespace: string, isUp: boolean): Promise<void> {
  const name = 'world';
  if (isUp) {
    const metadata = { name, labels: { world: 'up' } };
    await client.create<ConfigMap>(CONFIG_MAPS, { metadata }, { namespace });
    return;
  }
  await client.delete(CONFIG_MAPS, name, { namespace }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Resolves when Prometheus has scraped the value: it tells nobody, so it is asked. */
async function seen(endpoint: string, query: string, value: string): Promise<void> {
  const probe = promProbe(endpoint, { query, comparator: { criteria: '==', value } });
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const measured = await createPromProbe().measure(probe, measureContext({ signal }));
    if (measured.outcome === 'passed') return;
    await systemClock.sleep(50, signal);
  }
}
