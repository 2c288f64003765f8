import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineReader, parseCores, parseCpuWait, parseLoad } from './pressure-reader.ts';

const PRESSURE =
  'some avg10=12.34 avg60=5.00 avg300=1.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';

const TABLE: readonly (readonly [
  what: string,
  parse: (text: string) => number | undefined,
  text: string,
  value: number | undefined,
])[] = [
  ['load', parseLoad, '53.21 40.00 20.10 7/900 12345\n', 53.21],
  ['no load', parseLoad, '', undefined],
  ['a load that is none', parseLoad, 'high', undefined],
  ['waits', parseCpuWait, PRESSURE, 12.34],
  ['a kernel without pressure', parseCpuWait, '', undefined],
  ['pressure that is switched off', parseCpuWait, 'some total=0\n', undefined],
  ['cores', parseCores, 'cpu  1 2 3\ncpu0 1 2 3\ncpu1 1 2 3\nintr 5 6\n', 2],
  ['no cores', parseCores, '', undefined],
];

for (const [what, parse, text, value] of TABLE) {
  test(`read of the machine: ${what}`, () => assert.equal(parse(text), value));
}

test('this machine has cores, and figures that are some where it has any', () => {
  const reader = machineReader();
  assert.ok(reader.cores() >= 1);
  for (const figure of [reader.load(), reader.cpuWaitPercent()])
    assert.ok(figure === undefined || figure >= 0);
});
