import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts';
import { FieldSelectorError, parseFieldSelector } from './field-selector.ts';
import {
  compileLabelSelector,
  formatLabelSelector,
  isEmptySelector,
  type LabelRequirement,
  LabelSelectorError,
  matchesLabels,
  matchesSelector,
  parseLabelSelector,
} from './label-selector.ts';
import recorded from './test-data/recorded-selectors.json' with { type: 'json' };

interface Parsing {
  readonly input: string;
  readonly error?: string;
}

/** What an API server of 1.36 says where the recorded one (1.20) said this. */
function laterWords(error: string): string {
  return error
    .replace(/expected: '=', '!=', '==', 'in', notin'/, 'expected: in, notin, =, ==, !=, gt, lt')
    .replace(/invalid label key ("[^"]*")/, '<nil>: Invalid value: $1')
    .replace(/invalid label value: ("[^"]*"): at key: "([^"]*)"/, 'values[0][$2]: Invalid value: $1')
    .replace(/(values.*must be no more than 63 )characters/, '$1bytes')
    .replace(/(?:values\[0\]: Invalid value: "[^"]*": )?(for 'Gt', .*)/, '$1');
}

describe('label selectors agree with the recorded API server', () => {
  for (const { input, error } of recorded.labelParsing as Parsing[]) {
    it(`${error === undefined ? 'accepts' : 'refuses'} ${JSON.stringify(input)}`, () => {
      if (error === undefined) {
        parseLabelSelector(input);
      } else {
        assert.throws(
          () => parseLabelSelector(input),
          (thrown) =>
            thrown instanceof LabelSelectorError && laterWords(thrown.message) === laterWords(error),
        );
      }
    });
  }
  for (const { input, names } of recorded.labelMatching) {
    it(`${input} matches ${names.join(' ')}`, () => {
      const selector = parseLabelSelector(input);
      const objects: [string, Record<string, string>][] = Object.entries(recorded.objects);
      assert.deepEqual(
        objects.filter(([, labels]) => matchesLabels(selector, labels)).map(([name]) => name),
        names,
      );
    });
  }
});

describe('label selectors', () => {
  it('come back as they were written', () => {
    const key = fc.constantFrom('a', 'b', 'x.y/z', 'in', 'notin');
    const value = fc.constantFrom('', '1', 'web', 'A_b.c', 'in');
    const set = (operator: 'in' | 'notin') =>
      fc.record({
        key,
        operator: fc.constant(operator),
        values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }),
      });
    const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
      set('in'),
      set('notin'),
      fc.record({
        key,
        operator: fc.constantFrom('exists' as const, 'absent' as const),
        values: fc.constant([]),
      }),
      fc.record({
        key,
        operator: fc.constantFrom('gt' as const, 'lt' as const),
        values: fc.tuple(fc.nat().map(String)),
      }),
    );
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (selector) => {
        assert.deepEqual(parseLabelSelector(formatLabelSelector(selector)), structuredClone(selector));
      }),
    );
  });

  it('either parse or throw their own error, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...' ab,=!()<>in/-') }), (text) => {
        try {
          parseLabelSelector(text);
        } catch (error) {
          assert.ok(error instanceof LabelSelectorError);
        }
      }),
    );
  });

  it('have an object form', () => {
    const selector = compileLabelSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'NotIn', values: ['db'] },
        { key: 'canary', operator: 'DoesNotExist' },
      ],
    });
    assert.ok(selector);
    assert.equal(formatLabelSelector(selector), 'app=web,tier!=db,!canary');
    assert.equal(matchesLabels(selector, { app: 'web' }), true);
    assert.equal(matchesLabels(selector, { app: 'web', tier: 'db' }), false);
    assert.equal(matchesLabels(selector, undefined), false);
    assert.equal(compileLabelSelector(undefined), undefined);
    assert.deepEqual(compileLabelSelector({}), []);
    assert.throws(
      () => compileLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Is' }] }),
      /"Is" is not a valid label selector operator; expected In, NotIn, Exists or DoesNotExist/,
    );
  });

  it('in object form match without being compiled', () => {
    const rows: readonly [LabelSelector | undefined, boolean][] = [
      [undefined, false],
      [{}, true],
      [{ matchLabels: { app: 'web' } }, true],
      [{ matchLabels: { app: 'web', tier: 'db' } }, false],
      [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['api', 'web'] }] }, true],
      [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['db'] }] }, true],
      [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
      [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
      [{ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'Is' }] }, false],
    ];
    for (const [selector, matches] of rows) {
      assert.equal(matchesSelector(selector, { app: 'web' }), matches, JSON.stringify(selector));
      assert.equal(isEmptySelector(selector), JSON.stringify(selector ?? {}) === '{}');
    }
  });

  it('are not fooled by inherited names', () => {
    assert.equal(matchesLabels(parseLabelSelector('constructor'), {}), false);
  });
});

describe('field selectors agree with the recorded API server', () => {
  for (const { input, error } of recorded.fieldParsing as Parsing[]) {
    // Which fields exist is the server's business.
    const syntaxError = error?.includes('known field selector') === true ? undefined : error;
    it(`${syntaxError === undefined ? 'accepts' : 'refuses'} ${JSON.stringify(input)}`, () => {
      if (syntaxError === undefined) {
        parseFieldSelector(input);
      } else {
        assert.throws(
          () => parseFieldSelector(input),
          (thrown) => thrown instanceof FieldSelectorError && thrown.message === syntaxError,
        );
      }
    });
  }
});
