import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunProperties } from '../api/schema/probe.ts';
import { formatFieldError } from '../api/validation/field-error.ts';
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
    ['negative attempts', { probeTimeout: '', interval: '', attempt: -2 }, { attempts: 1 }],
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
    ['negative', { probeTimeout: '-1s', interval: '-1s', initialDelaySeconds: -5 }, {}],
    ['beyond the longest timer', { probeTimeout: '1000h', interval: '' }, { timeoutMs: 2_147_483_647 }],
    [
      'flags',
      { probeTimeout: '', interval: '', stopOnFailure: true, verbosity: 'info' },
      { stopOnFailure: true, logFirstRunOnly: true },
    ],
  ];
  for (const [name, properties, expected] of table) {
    const { compiled, problems } = compileRunProperties(properties, 180_000);
    assert.deepEqual([problems, compiled], [[], { ...DEFAULTS, ...expected }], name);
  }
});

test('every wrong duration is reported with its path', () => {
  const { problems } = compileRunProperties(
    { probeTimeout: '5', interval: '1 s', evaluationTimeout: 'soon' },
    180_000,
  );
  assert.deepEqual(problems.map(formatFieldError), [
    'runProperties.probeTimeout: Invalid value: "5": is no duration: the unit is missing; write 5s for seconds or 5ms for milliseconds',
    'runProperties.interval: Invalid value: "1 s": is no duration: write numbers with units ns, us, ms, s, m or h, such as 500ms, 5s or 1m30s',
    'runProperties.evaluationTimeout: Invalid value: "soon": is no duration: write numbers with units ns, us, ms, s, m or h, such as 500ms, 5s or 1m30s',
  ]);
  const missing = compileRunProperties(undefined, 180_000);
  assert.deepEqual(missing.problems.map(formatFieldError), [
    'runProperties: Required value: give at least probeTimeout and interval',
  ]);
  assert.deepEqual(missing.compiled, DEFAULTS);
});
