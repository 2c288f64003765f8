/** Sends a request every few milliseconds, as a probe or without one, and reports how much processor time that took. */
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@turnsole/kube/base/clock';
import { createProbeRunner } from '../../src/experiment/probes/runner.ts';
import { noClient } from '../../src/experiment/probes/testing/builders.ts';

/** Code is compiled and optimised within this time, and not measured. */
const WARM_UP_MS = 3000;

const [sender, url = '', interval = '10', seconds = '10'] = process.argv.slice(2);
const intervalMs = Number(interval);

/** Reports the processor time of a while. */
async function measured(): Promise<void> {
  await delay(WARM_UP_MS);
  process.send?.('begin');
  const before = { cpu: process.cpuUsage(), ms: performance.now() };
  await delay(Number(seconds) * 1000);
  const { user, system } = process.cpuUsage(before.cpu);
  process.send?.((user + system) / 10 / (performance.now() - before.ms));
}

async function bare(): Promise<void> {
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      get(url, { agent: false }, (response) => response.resume().on('close', resolve)).on('error', reject);
      await promise;
      await delay(intervalMs);
    }
  };
  const looping = loop();
  await measured();
  isOver = true;
  await looping;
}

async function probe(): Promise<void> {
  const runner = createProbeRunner({
    probes: [
      {
        name: 'users',
        type: 'httpProbe',
        mode: 'Continuous',
        runProperties: {
          probeTimeout: '1s',
          interval: '0ms',
          attempt: 1,
          probePollingInterval: `${intervalMs}ms`,
        },
        'httpProbe/inputs': { url, method: { get: { criteria: '==', responseCode: '200' } } },
      },
    ],
    client: noClient(),
    clock: systemClock,
    signal: new AbortController().signal,
    env: {},
    statusCheckTimeoutSeconds: 180,
    logger: { info: () => {}, warn: () => {} },
    onUpdate: () => {},
    onStop: () => {},
  });
  await runner.preChaos();
  await runner.prepareChaos();
  await runner.steadyState();
  runner.chaosBegan();
  await measured();
  await runner.postChaos();
}

await (sender === 'bare' ? bare() : probe());
process.disconnect?.();
