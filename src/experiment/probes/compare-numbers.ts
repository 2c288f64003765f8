/**
 * Numeric side of the comparator: how texts become numbers and what each criteria word asks of them.
 *
 * Whole numbers are compared as bigint, so that no digit is lost; floats with a relative tolerance for equality.
 */

import { parseDecimal, parseWholeNumber } from '@turnsole/kube/text/number';
import type { NumberCriteria } from '../../api/validation/comparator.ts';

/** What the rules need to know of a kind of number. */
export interface NumberDomain<N> {
  /** For messages: `whole number`. */
  readonly noun: string;
  /** The number a text stands for, or undefined when it stands for none. Blanks around it do not count. */
  parse(text: string): N | undefined;
  equal(a: N, b: N): boolean;
  less(a: N, b: N): boolean;
}

/** Whole numbers of any size. */
export const INTEGERS: NumberDomain<bigint> = {
  noun: 'whole number',
  parse: parseWholeNumber,
  equal: (a, b) => a === b,
  less: (a, b) => a < b,
};

/**
 * Two floats are equal when they differ by no more than the rounding of a short calculation. Counters up to 2.8e14 are
 * still distinguished by 1.
 */
const RELATIVE_TOLERANCE = 16 * Number.EPSILON;

/** Floating point numbers in decimal notation, with `NaN` and `Inf` as metrics have them. */
export const FLOATS: NumberDomain<number> = {
  noun: 'number',
  parse: parseDecimal,
  equal(a, b) {
    if (a === b) return true;
    const difference = Math.abs(a - b);
    // Infinity minus anything is infinite and must not be within an infinite tolerance.
    if (!Number.isFinite(difference)) return false;
    return difference <= RELATIVE_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
  },
  less: (a, b) => a < b,
};

/** One criteria word for numbers. */
interface NumberRule {
  holds<N>(domain: NumberDomain<N>, actual: N, expected: readonly N[]): boolean;
  /** Text for a failure, as users know it from upstream. `expected` is the text of the value, or of the list. */
  reason(actual: string, expected: string, type: 'int' | 'float'): string;
}

function single(
  holds: <N>(domain: NumberDomain<N>, actual: N, expected: N) => boolean,
  words: (expected: string, type: 'int' | 'float') => string,
): NumberRule {
  return {
    holds: (domain, actual, [expected]) => expected !== undefined && holds(domain, actual, expected),
    reason: (actual, expected, type) => `Actual value: ${actual}. ${words(expected, type)}`,
  };
}

const oneOf: NumberRule = {
  holds: (domain, actual, expected) => expected.some((item) => domain.equal(actual, item)),
  reason: (actual, expected) =>
    `Actual value: ${actual} doesn't matched any of the Expected values: [[${expected}]]`,
};

const between: NumberRule = {
  holds(domain, actual, [low, high]) {
    if (low === undefined || high === undefined) return false;
    const aboveLow = domain.less(low, actual) || domain.equal(low, actual);
    return aboveLow && (domain.less(actual, high) || domain.equal(actual, high));
  },
  reason: (actual, expected) =>
    `Actual value: ${actual} doesn't lie in between the Expected range: [[${expected}]]`,
};

/** Criteria of types int and float by their exact words. */
export const NUMBER_RULES: Readonly<Record<NumberCriteria, NumberRule>> = {
  '>=': single(
    (domain, a, b) => domain.less(b, a) || domain.equal(a, b),
    (b) => `Expected value: greater than or equal to ${b}`,
  ),
  '<=': single(
    (domain, a, b) => domain.less(a, b) || domain.equal(a, b),
    (b) => `Expected value: lesser than or equal to ${b}`,
  ),
  '>': single(
    (domain, a, b) => domain.less(b, a),
    (b) => `Expected value: greater than ${b}`,
  ),
  '<': single(
    (domain, a, b) => domain.less(a, b),
    (b) => `Expected value: lesser than ${b}`,
  ),
  '==': single(
    (domain, a, b) => domain.equal(a, b),
    (b, type) => `Expected value: ${type === 'int' ? 'should be ' : ''}equal to ${b}`,
  ),
  '!=': single(
    (domain, a, b) => !domain.equal(a, b),
    (b) => `Expectation: should not match the provided value: ${b}`,
  ),
  oneOf,
  OneOf: oneOf,
  between,
  Between: between,
};
