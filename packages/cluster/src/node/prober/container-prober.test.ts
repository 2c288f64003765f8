import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Container } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { ExecProcess } from '../runtime/types.ts';
import { ContainerProber } from './container-prober.ts';

/** Probes run commands whose outcome the test sets; what the prober reports is in `reported`, with its second. */
class Rig {
  readonly clock = new FakeClock(0);
  readonly reported: string[] = [];
  readonly passing = new Set<string>();
  readonly attempts: string[] = [];

  start(container: Omit<Container, 'name'>): ContainerProber {
    const tell = (what: string): void => {
      this.reported.push(`${this.clock.now() / 1000} ${what}`);
    };
    return new ContainerProber(
      {
        podIP: '127.0.0.1',
        container: { name: 'c', ...container },
        running: { exec: (command) => this.#exec(command[0] ?? '') },
        clock: this.clock,
      },
      0,
      {
        started: () => tell('started'),
        ready: (ready) => tell(ready ? 'ready' : 'unready'),
        failed: (kind) => tell(`${kind} failed`),
        unhealthy: (kind) => tell(`${kind} unhealthy`),
      },
    );
  }

  async #exec(name: string): Promise<ExecProcess> {
    this.attempts.push(`${this.clock.now() / 1000} ${name}`);
    const exitCode = this.passing.has(name) ? 0 : 1;
    const output = (): PassThrough => new PassThrough().end();
    return {
      stdin: new PassThrough(),
      stdout: output(),
      stderr: output(),
      exited: Promise.resolve({ exitCode }),
      kill: () => {},
    };
  }
}

const probe = (name: string, numbers: object = {}): NonNullable<Container['livenessProbe']> => ({
  exec: { command: [name] },
  periodSeconds: 10,
  ...numbers,
});

test('without probes it is started and ready at once', async () => {
  const rig = new Rig();
  rig.start({});
  await rig.clock.advance(0);
  assert.deepEqual(rig.reported, ['0 started', '0 ready']);
});

test('readiness comes and goes with its thresholds', async () => {
  const rig = new Rig();
  const prober = rig.start({ readinessProbe: probe('ready', { failureThreshold: 2 }) });
  await rig.clock.advance(0);
  rig.passing.add('ready');
  await rig.clock.advance(1_000);
  rig.passing.clear();
  await rig.clock.advance(29_000);
  rig.passing.add('ready');
  await rig.clock.advance(10_000);
  await prober.stop();
  assert.deepEqual(rig.reported, [
    '0 started',
    '0.01 ready',
    '10 readiness unhealthy',
    '20 readiness unhealthy',
    '20 unready',
    '30 readiness unhealthy',
    '40 ready',
  ]);
});

test('readiness and liveness wait for the startup probe', async () => {
  const rig = new Rig();
  rig.passing.add('ready').add('live');
  const prober = rig.start({
    startupProbe: probe('up', { initialDelaySeconds: 5, failureThreshold: 100 }),
    readinessProbe: probe('ready'),
    livenessProbe: probe('live', { periodSeconds: 20 }),
  });
  await rig.clock.advance(6_000);
  assert.deepEqual(new Set(rig.attempts.map((attempt) => attempt.split(' ')[1])), new Set(['up']));
  rig.passing.add('up');
  await rig.clock.advance(30_000);
  await prober.stop();
  const [started = '', ready = ''] = rig.reported.filter((line) => !line.includes('unhealthy'));
  assert.match(started, /^[67]\.?\d* started$/);
  assert.equal(ready.split(' ')[0], started.split(' ')[0], 'ready as soon as it has started');
  assert.deepEqual(
    rig.attempts.filter((attempt) => attempt.endsWith('live')),
    ['20 live'],
  );
});

test('a failed startup probe ends it', async () => {
  const rig = new Rig();
  rig.start({
    startupProbe: probe('up', { periodSeconds: 1, failureThreshold: 2 }),
    livenessProbe: probe('live'),
  });
  await rig.clock.advance(60_000);
  assert.deepEqual(rig.reported, ['1 startup unhealthy', '2 startup unhealthy', '2 startup failed']);
  assert.equal(rig.clock.pending, 0);
});

test('a failed liveness probe asks for a restart once; nothing is reported after stop', async () => {
  const rig = new Rig();
  rig.passing.add('live');
  const prober = rig.start({ livenessProbe: probe('live', { failureThreshold: 1 }) });
  await rig.clock.advance(10_000);
  rig.passing.clear();
  await rig.clock.advance(40_000);
  assert.deepEqual(rig.reported, ['0 started', '0 ready', '20 liveness unhealthy', '20 liveness failed']);
  await prober.stop();
  const other = rig.start({ livenessProbe: probe('live', { failureThreshold: 1 }) });
  await rig.clock.advance(0);
  const reportedBefore = rig.reported.length;
  await other.stop();
  await rig.clock.advance(60_000);
  assert.equal(rig.reported.length, reportedBefore);
  assert.equal(rig.clock.pending, 0);
});
