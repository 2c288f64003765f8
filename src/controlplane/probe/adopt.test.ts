import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptProbes } from './adopt.ts';
import type { KeptProbe } from './manifest-probe.ts';

/** A probe as an engine has it. */
const probe = (url: string, name = 'api'): object => ({
  ...{ name, type: 'httpProbe', mode: 'Continuous' },
  runProperties: { probeTimeout: '1s', interval: '1s' },
  'httpProbe/inputs': { url, method: { get: { criteria: '==', responseCode: '200' } } },
});

/** Adopts the probe by a project with these probes; `letter` is drawn for the suffix. */
function adopt(
  entry: object,
  known: readonly KeptProbe[],
  letter: string,
): { names: string[]; made: readonly KeptProbe[] } {
  const book = new Map(known.map((one) => [one.name, one]));
  const { references, made } = adoptProbes([entry], book, () => letter.repeat(8));
  return { names: references.map(({ name }) => name), made };
}

test('a probe whose name another one has gets one name, however often its manifest is stored', () => {
  const first = adopt(probe('http://a'), [], 'x');
  assert.deepEqual(first.names, ['api']);
  const second = adopt(probe('http://b'), first.made, 'y');
  assert.deepEqual(second.names, ['api-yyyyyyyy']);
  const known = [...first.made, ...second.made];
  const again = adopt(probe('http://b'), known, 'z');
  assert.deepEqual([again.names, again.made], [['api-yyyyyyyy'], []]);
  const third = adopt(probe('http://c'), known, 'z');
  assert.deepEqual(third.names, ['api-zzzzzzzz']);
});

test('a probe of the project that was named by its user does not stand in', () => {
  const known = [
    ...adopt(probe('http://a'), [], 'x').made,
    ...adopt(probe('http://b', 'api-of-the-shop'), [], 'x').made,
  ];
  assert.deepEqual(adopt(probe('http://b'), known, 'y').names, ['api-yyyyyyyy']);
});
