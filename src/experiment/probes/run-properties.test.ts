import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunProperties } from '../../api/schema/probe.ts';
import { type CompiledRunProperties, compileRunProperties } from './run-properties.ts';

const DEFAULTS: CompiledRunProperties = {
  timeoutMs: 180_000,
  attempts: 1,
  intervalMs: 0,
  pollingMs: 1000,
  evaluationMs: 0,
  initialDelayMs: 0,
  stopOnFailure: false,
  logFirstRunOnly: false,
};

test('run properties get defaults and milliseconds', () => {
  const table: readonly [string, RunProperties, Partial<CompiledRunProperties>][] = [
    ['blank', { probeTimeout: '', interval: '' }, {}],
    ['zero', { probeTimeout: '0', interval: '0s' }, {}],
    ['timeout', { probeTimeout: '5s', interval: '' }, { timeoutMs: 5000 }],
    ['polls at interval', { probeTimeout: '', interval: '2s' }, { intervalMs: 2000, pollingMs: 2000 }],
    [
      'polling interval wins',
      { probeTimeout: '', interval: '2s', probePollingInterval: '10ms' },
      { intervalMs: 2000, pollingMs: 10 },
    ],
    ['attempt', { probeTimeout: '', interval: '', attempt: 3, retry: 5 }, { attempts: 3 }],
    ['retry', { probeTimeout: '', interval: '', attempt: 0, retry: 5 }, { attempts: 5 }],
    [
      'delay',
      { probeTimeout: '', interval: '', initialDelay: '1m', initialDelaySeconds: 5 },
      { initialDelayMs: 60_000 },
    ],
    [
      'delay in seconds',
      { probeTimeout: '', interval: '', initialDelaySeconds: 5 },
      { initialDelayMs: 5000 },
    ],
    [
      'flags',
      { probeTimeout: '', interval: '', stopOnFailure: true, verbosity: 'info' },
      { stopOnFailure: true, logFirstRunOnly: true },
    ],
  ];
  for (const [name, properties, expected] of table) {
    assert.deepEqual(compileRunProperties(properties, 180_000), { ...DEFAULTS, ...expected }, name);
  }
});
