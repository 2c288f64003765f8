import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayRange } from './days.ts';

const ms = (text: string): string => String(new Date(text).getTime());
const RANGES: readonly [name: string, from: string, to: string, range: object | undefined][] = [
  ['no day', '', '', undefined],
  ['from a day on', '2026-11-24', '', { startDate: ms('2026-11-24T00:00') }],
  ['until the end of a day', '', '2026-11-24', { startDate: '0', endDate: ms('2026-11-24T23:59:59.999') }],
  [
    'one day',
    '2026-11-24',
    '2026-11-24',
    { startDate: ms('2026-11-24T00:00'), endDate: ms('2026-11-24T23:59:59.999') },
  ],
];
for (const [name, from, to, range] of RANGES) {
  test(`a range of days: ${name}`, () => assert.deepEqual(dayRange(from, to), range));
}
