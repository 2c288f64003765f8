import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import type { Probe } from '../../api/schema/probe.ts';
import type { ProbeStatus } from '../../api/schema/result.ts';
import { PROBE_MODES } from '../../api/schema/vocabulary.ts';
import { createProbeRunner } from './runner.ts';
import type { ProbeRunner } from './runner-types.ts';
import { cmdProbe, httpProbe, noClient, PassCounter, RUN } from './testing/builders.ts';
import { startPeer } from './testing/http-peer.ts';

interface Running {
  readonly runner: ProbeRunner;
  readonly stopped: Promise<string>;
  /** Resolves when the statuses are as wanted. */
  until(wanted: (statuses: readonly ProbeStatus[]) => boolean): Promise<void>;
  /** Resolves when each of these probes has begun and passed a run since now. */
  newRuns(names: readonly string[]): Promise<void>;
}

/** A runner on the machine's clock: these tests wait for what really happens, never for a time. */
function start(probes: readonly Probe[]): Running {
  const stopped = Promise.withResolvers<string>();
  const waiting: (() => void)[] = [];
  const passes = new PassCounter();
  const runner = createProbeRunner({
    probes,
    client: noClient(),
    clock: systemClock,
    signal: new AbortController().signal,
    env: process.env,
    statusCheckTimeoutSeconds: 60,
    logger: passes.logger,
    onUpdate: () => {
      for (const look of waiting) look();
    },
    onStop: stopped.resolve,
  });
  return {
    runner,
    stopped: stopped.promise,
    newRuns: (names) => passes.newRuns(names),
    until: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (wanted(runner.statuses())) resolve();
        };
        waiting.push(look);
        look();
      }),
  };
}

const verdicts = (runner: ProbeRunner): string[] =>
  runner.statuses().map(({ name, status }) => `${name} ${status.verdict}`);

const fast = { ...RUN, probePollingInterval: '1ms' };

test('http and shell probes in all modes, with outputs used by later probes', async () => {
  await using peer = await startPeer((request, response) => {
    response.statusCode = request.url === '/a&b<c>' || request.url === '/a&b%3Cc%3E' ? 200 : 404;
    response.end();
  });
  const shells = PROBE_MODES.map((mode) =>
    cmdProbe('echo ok', 'ok', { name: `cmd-${mode}`, mode, runProperties: fast }),
  );
  const webs = PROBE_MODES.map((mode) =>
    httpProbe(`${peer.url}/{{ .path-of.ProbeArtifacts.Register }}`, {
      name: `http-${mode}`,
      mode,
      runProperties: fast,
    }),
  );
  const { runner, newRuns } = start([
    cmdProbe("printf 'a&b<c>'", 'a&b<c>', { name: 'path-of' }),
    ...shells,
    ...webs,
  ]);
  assert.deepEqual(await runner.preChaos(), { ok: true });
  assert.deepEqual(await runner.prepareChaos(), { ok: true });
  runner.chaosBegan();
  await newRuns(['cmd', 'http'].flatMap((type) => [`${type}-Continuous`, `${type}-OnChaos`]));
  assert.deepEqual(await runner.postChaos(), { ok: true });
  assert.deepEqual(verdicts(runner), [
    'path-of Passed',
    ...PROBE_MODES.map((mode) => `cmd-${mode} Passed`),
    ...PROBE_MODES.map((mode) => `http-${mode} Passed`),
  ]);
});

test('an outage during the chaos fails Continuous and OnChaos, not SOT and EOT', async () => {
  let down = false;
  await using peer = await startPeer((_, response) => {
    response.statusCode = down ? 503 : 200;
    response.end();
  });
  const { runner, until } = start(
    PROBE_MODES.map((mode) => httpProbe(peer.url, { name: mode, mode, runProperties: fast })),
  );
  assert.deepEqual(await runner.preChaos(), { ok: true });
  assert.deepEqual(await runner.prepareChaos(), { ok: true });
  runner.chaosBegan();
  await until((statuses) => statuses[4]?.status.description !== undefined);
  down = true;
  await until((statuses) => statuses.filter(({ status }) => status.verdict === 'Failed').length === 2);
  down = false;
  const outcome = await runner.postChaos();
  assert.equal(
    outcome.ok ? '' : `${outcome.kind} ${outcome.code} ${outcome.stop}`,
    'failure HTTP_PROBE_FAILURE false',
  );
  assert.deepEqual(verdicts(runner), [
    'SOT Passed',
    'EOT Passed',
    'Edge Passed',
    'Continuous Failed',
    'OnChaos Failed',
  ]);
});

test('a real outage with stopOnFailure asks for a stop', async () => {
  const peer = await startPeer((_, response) => response.end());
  const runProperties = { ...fast, stopOnFailure: true };
  const { runner, stopped } = start([httpProbe(peer.url, { mode: 'Continuous', runProperties })]);
  assert.deepEqual(await runner.preChaos(), { ok: true });
  await peer[Symbol.asyncDispose]();
  assert.match(await stopped, /^probe 'web' failed: GET http.*(ECONNREFUSED|ECONNRESET|hang up)/);
  void runner.abort();
});

test('an output that is not there yet is an error, not an empty text', async () => {
  const { runner } = start([
    httpProbe('http://127.0.0.1:1/{{ .later.ProbeArtifacts.Register }}'),
    cmdProbe('echo 1', '1', { name: 'later' }),
  ]);
  const outcome = await runner.preChaos();
  assert.match(
    outcome.ok ? '' : `${outcome.kind} ${outcome.code} ${outcome.message}`,
    /^error HTTP_PROBE_ERROR probe 'web': template \{\{ \.later\./,
  );
});

test('a command that hangs is interrupted at its limit', async () => {
  const runProperties = { ...RUN, probeTimeout: '50ms' };
  const { runner } = start([cmdProbe('sleep 1000', '', { runProperties })]);
  const outcome = await runner.preChaos();
  assert.equal(
    outcome.ok ? '' : `${outcome.kind} ${outcome.code} ${outcome.message}`,
    "failure CMD_PROBE_FAILURE probe 'shell': probe failed due to timeout: command 'sleep 1000': no answer in 50 ms",
  );
});
