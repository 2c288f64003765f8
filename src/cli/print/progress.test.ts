import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { createProgress, cutTo, formatLive } from './progress.ts';

test('the creation of an engine, which has whole seconds, is not printed as earlier than what was before it', () => {
  let now = Date.parse('2026-01-01T00:00:00.000Z');
  const output = new PassThrough();
  // A stream that is no terminal: of a terminal's methods none is called.
  const stream = output as unknown as NodeJS.WriteStream;
  const progress = createProgress({ stream, quiet: false, clock: { ...systemClock, now: () => now } });
  now += 9_127;
  progress.step('the workload is ready');
  const entry = { actor: 'user', step: 'EngineCreated', message: 'created', time: '2026-01-01T00:00:09Z' };
  progress.entry(entry);
  progress.entry({
    ...entry,
    step: 'EngineInitialized',
    time: '2026-01-01T00:00:09.200Z',
    message: 'begins',
  });
  progress.close();
  const times = String(output.read())
    .trim()
    .split('\n')
    .map((line) => /\+(\S+)s/.exec(line)?.[1]);
  assert.deepEqual(times, ['9.127', '9.127', '9.200']);
});

describe('cutTo', () => {
  const TABLE: readonly [text: string, columns: number, expected: string][] = [
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['abcd', 1, '…'],
    ['abcd', 0, ''],
    ['abcd', -3, ''],
  ];
  for (const [text, columns, expected] of TABLE) {
    it(`${text} in ${columns} columns`, () => assert.equal(cutTo(text, columns), expected));
  }
});

describe('formatLive', () => {
  it('shows experiment, phase, bar and probes', () => {
    const state = {
      engine: 'default/web',
      experiment: 'pod-delete',
      phase: 'Running',
      chaosStartedAtMs: 1000,
      chaosDurationMs: 10_000,
      probes: [{ name: 'p', verdict: 'Awaited' }],
    };
    assert.equal(
      formatLive(state, 6000),
      'default/web pod-delete  Running  ████████████░░░░░░░░░░░░ 5/10 s  p: Awaited',
    );
  });

  it('shows the time alone while the duration is not known', () => {
    const state = { engine: 'default/web', phase: 'Running', chaosStartedAtMs: 1000, probes: [] };
    assert.equal(formatLive(state, 4500), 'default/web  Running  3 s');
  });
});
