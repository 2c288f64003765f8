/**
 * OnChaos means while the fault is in force, also where helpers start slowly: a probe of a service that answers 500 for the whole of
 * the chaos, and well before and after it, must see that.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import type { ChaosResult, Probe } from '../../src/api/index.ts';
import { PACKAGE_ROOT } from '../../src/process/package-root.ts';
import { effectsImpossible, FaultCluster, sideBySide, standInsImpossible } from './support/fault-cluster.ts';

const FAULT = 'pod-http-status-code';
const SECONDS = 5;
/** Longer than the chaos lasts: as if the helper's image had to be pulled first. */
const PULL_SECONDS = 7;

const WEB = {
  image: 'node',
  command: [
    'node',
    '-e',
    "require('http').createServer((_, response) => response.end('hello')).listen(8080)",
  ],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
};

/** Breaks a while after it is first asked: while a slow helper starts. */
const BREAKS =
  "let asked = 0; require('http').createServer((_, response) => { asked += 1; response.statusCode = asked > 25 ? 500 : 200; " +
  "response.end(asked > 25 ? 'broken' : 'hello'); }).listen(8080)";

/** Wants status 200 all the time that it measures. */
function probe(namespace: string, name: string, more: Partial<Probe['runProperties']> = {}): Probe {
  const method = { get: { criteria: '==', responseCode: '200' } };
  return {
    name,
    type: 'httpProbe',
    mode: 'OnChaos',
    'httpProbe/inputs': { url: `http://web.${namespace}.svc.cluster.local:8080/`, method },
    runProperties: { probeTimeout: '30s', interval: '100ms', probePollingInterval: '100ms', ...more },
  };
}

describe('probes while a fault is in force', {
  skip: effectsImpossible || standInsImpossible,
  concurrency: sideBySide(3),
}, () => {
  let cluster: FaultCluster;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnsole-slow-'));
    const turnsole = join(PACKAGE_ROOT, 'bin', 'turnsole.js');
    // In place of `./helpers` of upstream's image.
    const slow = `#!/bin/sh\nsleep ${PULL_SECONDS}\nexec '${process.execPath}' '${turnsole}' helper "$@"\n`;
    writeFileSync(join(folder, 'helpers'), slow, { mode: 0o755 });
    const image = { entrypoint: ['/bin/sh'], workingDir: folder, reachesMachine: true };
    cluster = await FaultCluster.start(1, new Map([['slow-helper', image]]));
  });
  after(async () => {
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function play(
    probesOf: (namespace: string) => readonly Probe[],
    env: Readonly<Record<string, string>> = {},
    web: typeof WEB = WEB,
  ): Promise<ChaosResult> {
    const namespace = await cluster.namespace();
    await cluster.pod(namespace, 'web', web);
    const spec = { selector: { app: 'web' }, ports: [{ port: 8080 }] };
    await cluster.client.create<Service>(SERVICES, { metadata: { name: 'web' }, spec }, { namespace });
    const run = await cluster.run(FAULT, {
      namespace,
      pods: ['web'],
      env: { STATUS_CODE: '500', TARGET_SERVICE_PORT: '8080', TOTAL_CHAOS_DURATION: String(SECONDS), ...env },
      probes: probesOf(namespace),
    });
    return run.ended();
  }

  for (const [name, env] of [
    ['at once', {}],
    ['late', { LIB_IMAGE: 'slow-helper' }],
  ] as const) {
    test(`a probe sees a fault whose helper starts ${name}, and the fault has its whole time`, async () => {
      const { status } = await play((namespace) => [probe(namespace, 'web')], env);
      const { verdict, probeSuccessPercentage } = status?.experimentStatus ?? {};
      assert.deepEqual(
        [verdict, probeSuccessPercentage],
        ['Fail', '0'],
        JSON.stringify(status, undefined, 1),
      );
      assert.match(status?.probeStatuses?.[0]?.status.description ?? '', /Actual value: 500/);
      const [entry] = Object.values(status?.ledger ?? {});
      const [injectedMs, revertedMs] = [entry?.injectedAt, entry?.revertedAt].map((time) =>
        Date.parse(time ?? ''),
      );
      assert.ok(Number(revertedMs) - Number(injectedMs) >= SECONDS * 1000 - 100);
      const began = status?.timeline?.find(({ step }) => step === 'ProbeBegan');
      assert.ok(Date.parse(began?.time ?? '') >= Number(injectedMs) - 100, JSON.stringify(status?.timeline));
    });
  }

  test('what breaks while a helper starts keeps the fault from being injected', async () => {
    const { status } = await play(
      (namespace) => [{ ...probe(namespace, 'users'), mode: 'Continuous' }],
      { LIB_IMAGE: 'slow-helper' },
      { ...WEB, command: ['node', '-e', BREAKS] },
    );
    const { verdict, errorOutput } = status?.experimentStatus ?? {};
    assert.deepEqual(
      [verdict, errorOutput?.errorCode],
      ['Error', 'NOT_STEADY'],
      JSON.stringify(status, undefined, 1),
    );
    assert.match(
      errorOutput?.reason ?? '',
      /answered 500 \(Internal Server Error\) instead of 200: broken\. .* \(before the fault, for /,
    );
    const injected = Object.values(status?.ledger ?? {}).filter(({ injectedAt }) => injectedAt !== undefined);
    assert.deepEqual(injected, []);
    assert.ok(status?.timeline?.some(({ step }) => step === 'NotSteady'));
  });

  test('what the fault does in its first moment is not taken for something before it', async () => {
    const { status } = await play((namespace) => [
      { ...probe(namespace, 'users', { probePollingInterval: '10ms' }), mode: 'Continuous' },
    ]);
    assert.equal(status?.experimentStatus?.verdict, 'Fail', JSON.stringify(status, undefined, 1));
    const { summary } = status?.probeStatuses?.[0] ?? {};
    assert.equal(summary?.before.failed, 0);
    assert.ok((summary?.firstFailure?.sinceInjectionMs ?? -1) >= 0, JSON.stringify(summary));
  });

  test('a probe that had no time to measure is no pass, and says when the fault was in force', async () => {
    const { status } = await play((namespace) => [probe(namespace, 'late', { initialDelay: '60s' })]);
    assert.equal(status?.experimentStatus?.verdict, 'Error');
    const [late] = status?.probeStatuses ?? [];
    assert.equal(late?.status.verdict, 'N/A');
    const described =
      /^The probe did not measure while the fault was in force, from (\S+) to (\S+): its initialDelay/;
    const [, from, to] = described.exec(late?.status.description ?? '') ?? [];
    const lastedMs = Date.parse(to ?? '') - Date.parse(from ?? '');
    assert.ok(lastedMs > SECONDS * 500 && lastedMs < SECONDS * 2000, late?.status.description);
    assert.match(status?.experimentStatus?.errorOutput?.reason ?? '', /did not measure/);
  });
});
