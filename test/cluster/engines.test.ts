/** What users do with engines, against a real API server and kubelet. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { stringify } from 'yaml';
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosExperiment,
  type ChaosResult,
  type ChaosSchedule,
} from '../../src/api/index.ts';
import { temporaryFolder } from '../support/turnsole.ts';
import { noCluster } from './support/settings.ts';
import { type App, ENDLESS, Shop } from './support/shop.ts';

describe('engines on a cluster', { skip: noCluster, concurrency: 3 }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
  });
  after(() => shop?.close());

  async function withApp(test: (app: App) => Promise<void>): Promise<void> {
    const app = await shop.app();
    await test(app).finally(() => shop.removeApp(app));
  }

  it('pod-delete replaces pods and passes', () =>
    withApp(async (app) => {
      const before = (await shop.podsOf(app)).map(({ metadata }) => metadata.uid);
      const run = await shop.run({ app });
      assert.equal(await run.verdict(), 'Pass');
      const after = (await shop.podsOf(app)).map(({ metadata }) => metadata.uid);
      assert.equal(after.filter((uid) => before.includes(uid)).length, 1, 'one of two was replaced');
    }));

  it('container-kill restarts a container of a pod that stays', () =>
    withApp(async (app) => {
      const before = (await shop.podsOf(app)).map(({ metadata }) => metadata.uid).sort();
      const run = await shop.run({ app, fault: 'container-kill' });
      assert.equal(await run.verdict(), 'Pass', JSON.stringify(await run.result()));
      const pods = await shop.podsOf(app);
      assert.deepEqual(pods.map(({ metadata }) => metadata.uid).sort(), before);
      const restarts = pods.map(({ status }) => status?.containerStatuses?.[0]?.restartCount ?? 0);
      assert.equal(
        restarts.reduce((sum, each) => sum + each, 0),
        1,
      );
    }));

  it('an abort stops, removes everything and can be followed by another run', () =>
    withApp(async (app) => {
      const run = await shop.run({ app, env: ENDLESS });
      await run.injected();
      const first = (await run.until(() => true)).status?.runId;
      await run.set({ engineState: 'stop' });
      const stopped = await run.until(({ status }) => status?.engineStatus === 'stopped');
      assert.equal(stopped.status?.experiments?.[0]?.verdict, 'Stopped');
      assert.equal((await run.result()).status?.experimentStatus?.verdict, 'Stopped');
      await run.nothingLeft();
      await run.set({ engineState: 'active' });
      await run.until(({ status }) => status?.engineStatus === 'initialized' && status.runId !== first);
      await run.injected();
      await run.set({ engineState: 'stop' });
      const again = await run.until(
        ({ status }) => status?.engineStatus === 'stopped' && status.runId !== first,
      );
      assert.equal(again.status?.experiments?.[0]?.verdict, 'Stopped');
      await run.nothingLeft();
    }));

  it('a completed engine runs again and counts up', () =>
    withApp(async (app) => {
      const run = await shop.run({ app });
      const first = (await run.ended()).status?.runId;
      await run.set({ engineState: 'active' });
      await run.until(({ status }) => status?.runId !== first && status?.engineStatus === 'completed');
      const { status } = await run.result();
      assert.equal(status?.experimentStatus?.verdict, 'Pass');
      assert.equal(status?.history?.passedRuns, 2);
    }));

  it('an engine that is deleted in the middle goes with all of its pods, and the result says so', () =>
    withApp(async (app) => {
      const run = await shop.run({
        app,
        fault: 'pod-cpu-hog',
        env: { ...ENDLESS, CPU_CORES: '1', CPU_LOAD: '5' },
      });
      await run.injected();
      await run.delete();
      await run.gone();
      await run.nothingLeft();
      const result = await run.result();
      assert.equal(result.status?.experimentStatus?.verdict, 'Stopped');
      const open = Object.values(result.status?.ledger ?? {}).filter(({ state }) => state !== 'reverted');
      assert.deepEqual(open, []);
    }));

  it('config maps, secrets, host files and sidecars are there for the experiment', () =>
    withApp(async (app) => {
      const { client, namespace } = shop;
      const id = randomUUID().slice(0, 6);
      await client.create(
        CONFIG_MAPS,
        { metadata: { name: `there-${id}` }, data: { key: 'of-map' } } as never,
        {
          namespace,
        },
      );
      await client.create(
        SECRETS,
        { metadata: { name: `secret-${id}` }, stringData: { key: 'of-secret' } } as never,
        {
          namespace,
        },
      );
      // An experiment of its own, as its host files are not the engine's to say.
      const given = await client.get<ChaosExperiment>(CHAOS_EXPERIMENTS, 'pod-delete', { namespace });
      const definition = { ...given.spec?.definition, hostFileVolumes: [HOST_FILE] };
      const name = `pod-delete-${id}`;
      const env = [...(given.spec?.definition?.env ?? []), { name: 'EXPERIMENT_NAME', value: name }];
      await client.create<ChaosExperiment>(
        CHAOS_EXPERIMENTS,
        { metadata: { name }, spec: { definition: { ...definition, env } } } as ChaosExperiment,
        { namespace },
      );
      const run = await shop.run({
        app,
        fault: name,
        annotations: { 'sidecar/enabled': 'true' },
        spec: {
          chaosServiceAccount: 'pod-delete-sa',
          components: {
            sidecar: [
              {
                image: shop.settings.image,
                imagePullPolicy: shop.settings.pullPolicy,
                secrets: [{ name: `secret-${id}`, mountPath: '/beside' }],
                env: [{ name: 'SAID', value: 'by-sidecar' }],
              },
            ],
          },
        },
        experiment: {
          components: {
            configMaps: [
              { name: `there-${id}`, mountPath: '/mnt/there' },
              { name: `made-${id}`, mountPath: '/mnt/made', data: { key: 'of-engine' } },
            ],
            secrets: [{ name: `secret-${id}`, mountPath: '/mnt/secret' }],
          },
          probe: [
            reads('/mnt/there/key', 'of-map'),
            reads('/mnt/made/key', 'of-engine'),
            reads('/mnt/secret/key', 'of-secret'),
            reads(HOST_FILE.mountPath, 'NAME=', 'contains'),
          ],
        },
      });
      const pod = await run.pod('experiment');
      const [, sidecar] = pod.spec?.containers ?? [];
      assert.match(sidecar?.name ?? '', /-sidecar-1$/);
      assert.deepEqual(
        sidecar?.volumeMounts?.map(({ mountPath }) => mountPath).filter((path) => path === '/beside'),
        ['/beside'],
      );
      assert.equal(await run.verdict(), 'Pass', JSON.stringify((await run.result()).status));
      assert.equal((await run.result()).status?.experimentStatus?.probeSuccessPercentage, '100');
    }));

  it('a schedule makes its engines', () =>
    withApp(async (app) => {
      const { client, namespace } = shop;
      const name = `s-${randomUUID().slice(0, 6)}`;
      const engineInstance = {
        engineState: 'active',
        chaosServiceAccount: 'pod-delete-sa',
        appinfo: { appns: namespace, applabel: app.label, appkind: 'deployment' },
        experiments: [
          {
            name: 'pod-delete',
            spec: { components: { env: [{ name: 'TOTAL_CHAOS_DURATION', value: '2' }] } },
          },
        ],
      };
      await client.create<ChaosSchedule>(
        CHAOS_SCHEDULES,
        {
          metadata: { name },
          spec: { scheduleState: 'active', schedule: { now: true }, engineTemplateSpec: engineInstance },
        } as ChaosSchedule,
        { namespace },
      );
      await waitForObject<ChaosSchedule>(
        client,
        CHAOS_SCHEDULES,
        name,
        (found) => found?.spec?.scheduleState === 'complete',
        shop.limited,
      );
      const { items } = await client.list<ChaosEngine>(CHAOS_ENGINES, { namespace });
      const [engine] = items.filter(({ metadata }) => metadata.name.startsWith(name));
      assert.equal(engine?.status?.engineStatus, 'completed');
      assert.equal(engine?.status?.experiments?.[0]?.verdict, 'Pass');
    }));

  it('a plan and a dry run name the target and leave it alone', () =>
    withApp(async (app) => {
      const before = (await shop.podsOf(app)).map(({ metadata }) => metadata.uid).sort();
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'engine.yaml');
      const engine = {
        apiVersion: 'litmuschaos.io/v1alpha1',
        kind: 'ChaosEngine',
        metadata: { name: `plan-${app.name}`, namespace: shop.namespace },
        spec: {
          engineState: 'active',
          chaosServiceAccount: 'pod-delete-sa',
          appinfo: { appns: shop.namespace, applabel: app.label, appkind: 'deployment' },
          experiments: [{ name: 'pod-delete' }],
        },
      };
      await writeFile(file, stringify(engine));
      const plan = await shop.turnsole('plan', file);
      assert.equal(plan.code, 0, plan.stdout + plan.stderr);
      assert.match(plan.stdout, new RegExp(`${app.name}-`));
      const run = await shop.run({ app, spec: { dryRun: true } });
      await run.ended();
      const { status } = await run.result();
      assert.match(JSON.stringify(status?.timeline), /WouldInject/);
      assert.deepEqual((await shop.podsOf(app)).map(({ metadata }) => metadata.uid).sort(), before);
    }));

  it('the timeline is told from a cluster, and a result outlives its engine', () =>
    withApp(async (app) => {
      const run = await shop.run({ app });
      await run.ended();
      const outcome = await shop.turnsole('timeline', run.name, '-n', shop.namespace);
      assert.equal(outcome.code, 0, outcome.stderr);
      assert.match(outcome.stdout, /RunnerCreated[\s\S]*Injected[\s\S]*EngineCompleted/);
      await run.delete();
      await run.gone();
      await run.nothingLeft();
      const result = await shop.client.find<ChaosResult>(CHAOS_RESULTS, run.resultName, shop.limited);
      assert.equal(result?.status?.experimentStatus?.verdict, 'Pass');
      const found = await shop.client.find<KubeObject>(CHAOS_ENGINES, run.name, shop.limited);
      assert.equal(found, undefined);
    }));
});

/** A file that every Linux has. */
const HOST_FILE = { name: 'release', mountPath: '/mnt/release', nodePath: '/etc/os-release' } as const;

/** A probe that reads a file in the experiment's container. */
function reads(path: string, value: string, criteria = 'equal'): object {
  return {
    name: `reads ${path}`,
    type: 'cmdProbe',
    mode: 'SOT',
    'cmdProbe/inputs': { command: `cat ${path}`, comparator: { type: 'string', criteria, value } },
    runProperties: { probeTimeout: '5s', interval: '1s', attempt: 1 },
  };
}
