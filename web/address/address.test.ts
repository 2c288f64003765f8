/** Links: what a view shows is what its link shows again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeState, encodeState } from './codec.ts';
import { RUN_ADDRESS, type RunAddress } from './run.ts';

const ms = fc.integer({ min: 0, max: 1e9 });
const place = fc.option(fc.nat(1e6), { nil: undefined });
const addresses: fc.Arbitrary<RunAddress> = fc.record(
  {
    t: fc.option(
      fc.tuple(ms, ms).map(([from, length]) => ({ fromMs: from - 1000, toMs: from + length })),
      { nil: undefined },
    ),
    mark: place,
    at: fc.option(ms, { nil: undefined }),
    fold: fc.array(fc.string({ minLength: 1 })).map((names) => new Set(names)),
    axis: fc.constantFrom('lanes', 'table'),
    steps: fc.constantFrom('list', 'graph'),
    step: place,
    pane: fc.constantFrom('probes', 'logs', 'object'),
    find: fc.string(),
    level: fc.constantFrom('all', 'warn', 'error'),
    pod: fc.string(),
  },
  { noNullPrototype: true },
);

test('a link shows what was linked', () => {
  fc.assert(
    fc.property(addresses, (address) => {
      assert.deepEqual(decodeState(RUN_ADDRESS, encodeState(RUN_ADDRESS, address)), {
        state: address,
        problems: [],
      });
    }),
  );
});

test('any text in the place of a link gives a view, and says what it did not understand', () => {
  fc.assert(
    fc.property(fc.string(), fc.webQueryParameters(), (a, b) => {
      for (const search of [a, b, `mark=${a}`, `t=${a}`, `fold=${a}`]) {
        const { state } = decodeState(RUN_ADDRESS, search);
        assert.ok(state.mark === undefined || state.mark >= 0);
      }
    }),
  );
});

const LINKS: readonly [name: string, search: string, shows: Partial<RunAddress>, problems: string[]][] = [
  ['nothing', '', { mark: undefined, axis: 'lanes' }, []],
  ['a link of version 1', 'v=1&t=12.5-40&mark=7', { t: { fromMs: 12_500, toMs: 40_000 }, mark: 7 }, []],
  ['a window of nothing', 't=5-5', { t: undefined }, ['t=5-5 in the link is not understood']],
  ['a word that is none', 'pane=secrets', { pane: '' }, ['pane=secrets in the link is not understood']],
  [
    'a link of a later version',
    'v=9&axis=table',
    { axis: 'table' },
    ['this link was made by another version of the page (9); it may show something else'],
  ],
];
for (const [name, search, shows, problems] of LINKS) {
  test(`a link with ${name}`, () => {
    const decoded = decodeState(RUN_ADDRESS, search);
    for (const [key, value] of Object.entries(shows)) {
      assert.deepEqual(decoded.state[key as keyof RunAddress], value);
    }
    assert.deepEqual(decoded.problems, problems);
  });
}

test('a link leaves out values that are the defaults', () => {
  assert.equal(encodeState(RUN_ADDRESS, decodeState(RUN_ADDRESS, '').state), '');
});
