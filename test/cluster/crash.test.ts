/** What dies in the middle leaves nothing, and the engine says how it ended. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { ChaosResult } from '../../src/api/index.ts';
import { cgroupFoldersOf } from '../../src/experiment/node/cgroup-folders.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { isNodeHere, noCluster } from './support/settings.ts';
import { type App, ENDLESS, eventually, Shop } from './support/shop.ts';

/** A load that a helper keeps up, so that there is something to revert; long enough to be killed in it. */
const LOAD = { TOTAL_CHAOS_DURATION: '25', CPU_CORES: '1', CPU_LOAD: '5', LEASE_SECONDS: '10' } as const;

describe('crashes on a cluster', { skip: noCluster, concurrency: 3 }, () => {
  let shop: Shop;
  let isHere = false;
  before(async () => {
    shop = await Shop.open();
    isHere = await isNodeHere(shop.client);
  });
  after(() => shop?.close());

  async function withApp(test: (app: App) => Promise<void>): Promise<void> {
    const app = await shop.app(1);
    await test(app).finally(() => shop.removeApp(app));
  }

  /** By force, as when its node is lost: the kubelet ends it without grace. */
  const kill = async ({ metadata }: Pod): Promise<void> => {
    await shop.client.delete(PODS, metadata.name, { namespace: shop.namespace, gracePeriodSeconds: 0 });
  };

  /** Nothing is in force, by the ledger and, where it can be seen, in the container itself. */
  async function reverted(app: App, result: () => Promise<ChaosResult>): Promise<void> {
    await eventually('every entry of the ledger is closed', async () =>
      Object.values((await result()).status?.ledger ?? {}).every(({ state }) => state === 'reverted'),
    );
    if (!isHere) return;
    const [pod] = await shop.podsOf(app);
    assert.ok(pod);
    const main = await firstProcessOf(pod);
    await eventually('no load in the container', async () => (await processesBeside(main)) === 0);
  }

  it('a runner that is deleted is replaced, and its experiment is not run twice', () =>
    withApp(async (app) => {
      const run = await shop.run({ app, env: { TOTAL_CHAOS_DURATION: '12', CHAOS_INTERVAL: '12' } });
      await run.injected();
      await kill(await run.pod('runner'));
      const engine = await run.ended();
      assert.equal(engine.status?.experiments?.[0]?.verdict, 'Pass');
      assert.equal(engine.status?.runnerAttempts, 2);
      const { status } = await run.result();
      assert.equal(status?.history?.passedRuns, 1);
      assert.equal(Object.keys(status?.ledger ?? {}).length, 1, 'one injection only');
    }));

  it('a runner whose process is killed goes on where it was', (test) =>
    withApp(async (app) => {
      if (!isHere) return test.skip('its node is not this machine');
      const run = await shop.run({ app, env: { TOTAL_CHAOS_DURATION: '12', CHAOS_INTERVAL: '12' } });
      await run.injected();
      process.kill(await firstProcessOf(await run.pod('runner')), 'SIGKILL');
      const engine = await run.ended();
      assert.equal(engine.status?.experiments?.[0]?.verdict, 'Pass');
      assert.equal((await run.result()).status?.history?.passedRuns, 1);
    }));

  it('an experiment that is deleted ends in Error, and its load is reverted', () =>
    withApp(async (app) => {
      const run = await shop.run({ app, fault: 'pod-cpu-hog', env: LOAD });
      await run.injected();
      await kill(await run.pod('experiment'));
      assert.notEqual(await run.verdict(), 'Pass');
      await reverted(app, () => run.result());
    }));

  it('an experiment whose process is killed ends in Error, and its load is reverted', (test) =>
    withApp(async (app) => {
      if (!isHere) return test.skip('its node is not this machine');
      const run = await shop.run({ app, fault: 'pod-cpu-hog', env: LOAD });
      await run.injected();
      process.kill(await firstProcessOf(await run.pod('experiment')), 'SIGKILL');
      assert.notEqual(await run.verdict(), 'Pass');
      await reverted(app, () => run.result());
    }));

  it('a helper whose process is killed ends the run in Error, and its load is reverted', (test) =>
    withApp(async (app) => {
      if (!isHere) return test.skip('its node is not this machine');
      const run = await shop.run({ app, fault: 'pod-cpu-hog', env: LOAD });
      await run.injected();
      process.kill(await firstProcessOf(await run.pod('helper')), 'SIGKILL');
      assert.equal(await run.verdict(), 'Error');
      await reverted(app, () => run.result());
    }));

  it('a helper that is deleted ends the run in Error, and its load is reverted', () =>
    withApp(async (app) => {
      const run = await shop.run({ app, fault: 'pod-cpu-hog', env: LOAD });
      await run.injected();
      await kill(await run.pod('helper'));
      assert.equal(await run.verdict(), 'Error');
      await reverted(app, () => run.result());
    }));

  it('everything of a run at once: the abort still ends and reverts', () =>
    withApp(async (app) => {
      const run = await shop.run({ app, fault: 'pod-cpu-hog', env: { ...ENDLESS, ...LOAD } });
      await run.injected();
      const pods = await Promise.all([run.pod('runner'), run.pod('experiment'), run.pod('helper')]);
      await Promise.all([...pods.map(kill), run.set({ engineState: 'stop' })]);
      const engine = await run.ended();
      assert.equal(engine.status?.engineStatus, 'stopped');
      await reverted(app, () => run.result());
      await run.nothingLeft();
    }));
});

/** Processes in the container of a process, besides itself. */
async function processesBeside(pid: number): Promise<number> {
  const folder = (await cgroupFoldersOf(pid)).byController.get('memory');
  const text = await readFile(`${folder}/cgroup.procs`, 'utf8');
  return text.split('\n').filter((line) => line !== '' && Number(line) !== pid).length;
}
