import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatHelperLine,
  formatOverBell,
  formatPressureBell,
  parseHelperLine,
  parseOverBell,
  parsePressureBell,
} from './helper-log.ts';

const TIME = '2030-01-01T00:00:01.500Z';

test('a step is a line of the timeline, the end of a fault is none', () => {
  const note = { step: 'Injected', object: 'pod/shop/web', message: 'loss hit pod shop/web' };
  const table: readonly [string, string, unknown, number | undefined][] = [
    ['a step', formatHelperLine(note, TIME), { ...note, time: TIME }, undefined],
    ['the end of a fault', formatOverBell(TIME), undefined, Date.parse(TIME)],
    ['an end without a time', formatOverBell('soon'), undefined, undefined],
    ['another bell', JSON.stringify({ time: TIME, bell: 'door' }), undefined, undefined],
    ['what a program says', 'nothing to do', undefined, undefined],
    ['half a line', '{"time":', undefined, undefined],
  ];
  for (const [name, line, step, overMs] of table) {
    assert.deepEqual([parseHelperLine(line), parseOverBell(line)], [step, overMs], name);
  }
});

test('how busy the machine of a helper was is read from its line alone, and only where it is whole', () => {
  const eventLoopLateMs = { value: 4100, time: TIME };
  const load = { value: 53.2, time: TIME };
  const cpuWaitPercent = { value: 91.3, time: TIME };
  const bell = (pressure: unknown): string => JSON.stringify({ bell: 'pressure', pressure });
  const whole = { cores: 2, eventLoopLateMs, load, cpuWaitPercent };
  const table: readonly [string, string, unknown][] = [
    ['all', formatPressureBell(whole), whole],
    [
      'a machine that counts nothing',
      formatPressureBell({ cores: 2, eventLoopLateMs }),
      { cores: 2, eventLoopLateMs },
    ],
    ['more than that', bell({ ...whole, process: 'experiment/x', load: { ...load, x: 1 } }), whole],
    ['a load that is none', bell({ cores: 2, eventLoopLateMs, load: 53 }), { cores: 2, eventLoopLateMs }],
    ['no lateness', bell({ cores: 2, load }), undefined],
    ['a moment that is none', bell({ cores: 2, eventLoopLateMs: { value: 1, time: 'soon' } }), undefined],
    ['no figures', bell('high'), undefined],
    ['a step', formatHelperLine({ step: 'Injected', message: 'loss hit' }, TIME), undefined],
  ];
  for (const [name, line, pressure] of table) assert.deepEqual(parsePressureBell(line), pressure, name);
  assert.deepEqual(
    [parseHelperLine(formatPressureBell(whole)), parseOverBell(formatPressureBell(whole))],
    [undefined, undefined],
  );
});
