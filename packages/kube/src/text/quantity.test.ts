import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  compareQuantities,
  formatQuantity,
  isQuantity,
  parseQuantity,
  QuantityError,
  quantityToNumber,
} from './quantity.ts';
import recorded from './test-data/recorded-quantities.json' with { type: 'json' };

interface Recorded {
  readonly input: string;
  readonly canonical?: string;
  readonly error?: string;
}

/** The server caps binary amounts at 2^63 − 1 and rounds what a quota holds up to a thousandth; we do neither. */
const CAPPED = new Set(['8Ei', '9Ei', '1e400']);
const MILLI = 1_000_000n;

describe('quantities agree with the recorded API server', () => {
  for (const { input, canonical, error } of recorded.cases as readonly Recorded[]) {
    if (CAPPED.has(input)) continue;
    if (canonical === undefined && error !== 'negative') {
      it(`refuses ${JSON.stringify(input)}`, () => {
        assert.equal(isQuantity(input), false);
        assert.throws(() => parseQuantity(input), QuantityError);
      });
      continue;
    }
    it(`reads ${JSON.stringify(input)}`, () => {
      assert.equal(isQuantity(input), true);
      const quantity = parseQuantity(input);
      if (canonical === undefined) return;
      const rounded = ((quantity.nano + MILLI - 1n) / MILLI) * MILLI;
      assert.equal(rounded, parseQuantity(canonical).nano);
      // The server keeps the spelling of some texts; all others it served in canonical form.
      if (canonical !== input.trim() && rounded === quantity.nano) {
        assert.equal(formatQuantity(quantity), canonical);
      }
    });
  }
});

describe('quantities', () => {
  const canonical: readonly [text: string, canonical: string, number: number][] = [
    ['1048576Ki', '1Gi', 2 ** 30],
    ['1023', '1023', 1023],
    ['1Ki', '1Ki', 1024],
    ['0.5Ki', '512', 512],
    ['1500m', '1500m', 1.5],
    ['-2000m', '-2', -2],
    ['1e-3', '1e-3', 0.001],
    ['12e6', '12e6', 12e6],
    ['1E', '1E', 1e18],
    ['1E3', '1e3', 1000],
    ['250u', '250u', 0.00025],
    ['0.0000000001', '1n', 1e-9],
    ['-0.0000000001', '-1n', -1e-9],
    ['0Gi', '0', 0],
  ];
  for (const [text, written, number] of canonical) {
    it(`writes ${text} as ${written}`, () => {
      assert.equal(formatQuantity(parseQuantity(text)), written);
      assert.equal(quantityToNumber(parseQuantity(text)), number);
    });
  }

  it('come back as they were written, amount and format', () => {
    const quantity = fc.record({
      nano: fc.bigInt({ min: -(10n ** 27n), max: 10n ** 27n }),
      format: fc.constantFrom('binary' as const, 'decimal' as const, 'exponent' as const),
    });
    fc.assert(
      fc.property(quantity, (value) => assert.equal(parseQuantity(formatQuantity(value)).nano, value.nano)),
    );
  });

  it('are ordered by amount, whatever their suffix', () => {
    const texts = ['-1', '0', '1n', '1m', '0.5', '999m', '1', '1k', '1Ki', '1M', '1Mi', '2e9', '1E', '1Ei'];
    const sorted = texts.map(parseQuantity).toReversed().toSorted(compareQuantities).map(formatQuantity);
    assert.deepEqual(sorted, texts.map(parseQuantity).map(formatQuantity));
    assert.equal(compareQuantities(parseQuantity('1000m'), parseQuantity('1')), 0);
  });

  it('say what is expected', () => {
    assert.throws(
      () => parseQuantity('1 GB'),
      /"1 GB" is no quantity: write a number with an optional suffix/,
    );
    assert.throws(() => parseQuantity('1e999999999'), QuantityError);
  });
});
