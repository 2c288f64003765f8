/** How soon an engine that is told to stop says that it is stopped, and that this is true; runs alone. Slow is not a failure. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { isOpen } from '../../src/api/index.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { record } from './support/figures.ts';
import { isNodeHere, noCluster } from './support/settings.ts';
import { type App, ENDLESS, eventually, Shop } from './support/shop.ts';

const TIMES = 15;

/** Of one abort, until the engine says stopped. */
const BARS = { barMs: 1_500, maxBarMs: 5_000 } as const;

const FAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pod-delete': ENDLESS,
  'pod-cpu-hog': { ...ENDLESS, CPU_CORES: '1', CPU_LOAD: '5' },
};

describe('aborts on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  let app: App;
  before(async () => {
    shop = await Shop.open();
    app = await shop.app();
  });
  after(async () => {
    await shop?.removeApp(app);
    shop?.close();
  });

  for (const [fault, env] of Object.entries(FAULTS)) {
    it(`${fault}: stopped is said when nothing is in force, and what is left then goes`, async () => {
      const isHere = await isNodeHere(shop.client);
      for (let time = 0; time < TIMES; time += 1) {
        const run = await shop.run({ app, fault, env });
        await run.injected();
        const hasHelper = isHere && fault === 'pod-cpu-hog';
        const pid = hasHelper ? await firstProcessOf(await run.pod('helper')) : undefined;
        const from = performance.now();
        const measure = (what: string, bars: object = {}): void =>
          record({ title: `abort of ${fault}: to ${what}`, ms: performance.now() - from, ...bars });
        const loadGone =
          pid === undefined
            ? Promise.resolve()
            : eventually('the helper ends', () => !existsSync(`/proc/${pid}`)).then(() =>
                measure('the load and its helper gone'),
              );
        await run.set({ engineState: 'stop' });
        const engine = await run.until(({ status }) => status?.engineStatus === 'stopped');
        measure('engine stopped', BARS);
        const { status } = await run.result();
        assert.equal(engine.status?.experiments?.[0]?.verdict, 'Stopped');
        assert.deepEqual(Object.values(status?.ledger ?? {}).filter(isOpen), []);
        await run.until(({ metadata }) => (metadata.finalizers ?? []).length === 0);
        measure('its finalizer gone, with its pods');
        await run.nothingLeft();
        await loadGone;
      }
    });
  }
});
