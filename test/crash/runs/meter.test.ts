import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effect, Look } from './effect.ts';
import { ResidueMeter, summarize } from './meter.ts';

const onNode: Effect = { what: 'queue', of: 'app', node: 'n1' };
const ofNode: Effect = { what: 'agent', of: 'app', node: 'n1', inObject: true };
const inObject: Effect = { what: 'policy', of: 'app', node: undefined };

/** Plays looks, each a second after the one before, with the kill at 0; gives what was measured. */
async function played(
  looks: readonly Look[],
  scope: 'all' | readonly string[],
  backAfter = Infinity,
): Promise<string[]> {
  let nowMs = 0;
  let at = 0;
  const done = Promise.withResolvers<void>();
  const meter = new ResidueMeter(
    {
      look: () => {
        nowMs += 1_000;
        if (at === backAfter) meter.back('kill agent');
        const look = looks[at++];
        if (at >= looks.length) done.resolve();
        return Promise.resolve(look ?? { effects: [], isComplete: true });
      },
    },
    () => nowMs,
  );
  meter.add('e', 'app', ({ of }) => of === 'app');
  meter.killed('e', 'kill helper', scope);
  await done.promise;
  return (await meter.stop()).map(({ after, ms, seenMs }) => `${after} ${seenMs} to ${ms}`);
}

const sees = (...effects: Effect[]): Look => ({ effects, isComplete: true });
const blind: Look = { effects: [], isComplete: false };

for (const [name, looks, scope, expected, backAfter] of [
  ['nothing in force', [sees()], 'all', []],
  [
    'in force until the third look',
    [sees(onNode), sees(onNode), sees()],
    'all',
    ['kill helper 1000 to 3000'],
  ],
  [
    'back in force after a look without it',
    [sees(onNode), sees(), sees(onNode), sees()],
    'all',
    ['kill helper 2000 to 4000'],
  ],
  ['on another node than the helper', [sees(onNode), sees()], ['n2'], []],
  ['of an object, which only the experiment holds', [sees(inObject), sees()], ['n1'], []],
  [
    'of an object that cannot be seen for a while',
    [sees(inObject), blind, sees()],
    'all',
    ['kill helper 0 to 3000'],
  ],
  ['on a node while the API server is away', [sees(onNode), blind, sees()], 'all', ['kill helper 0 to 2000']],
  [
    'of the object of a node that cannot be seen for a while',
    [sees(ofNode), blind, sees()],
    ['n1'],
    ['kill helper 0 to 3000'],
  ],
  [
    'counted again from when the agent is back',
    [sees(onNode), sees(onNode), sees(onNode), sees()],
    'all',
    ['kill agent 0 to 2000'],
    1,
  ],
] as const) {
  test(`residue: ${name}`, async () => {
    assert.deepEqual(await played(looks, scope, backAfter), expected);
  });
}

test('percentiles by blow', () => {
  const residues = [1, 2, 3, 10].map((seconds) => ({ after: 'kill helper' as const, ms: seconds * 1000 }));
  assert.deepEqual(summarize(residues), [
    'residue after kill helper: 4 measured, p50 2.00 s, p90 10.00 s, p99 10.00 s, max 10.00 s',
    'residue after all: 4 measured, p50 2.00 s, p90 10.00 s, p99 10.00 s, max 10.00 s',
  ]);
});
