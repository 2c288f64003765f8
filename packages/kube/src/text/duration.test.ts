import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DurationError, formatDuration, parseDuration } from './duration.ts';

const VALID: readonly [text: string, milliseconds: number][] = [
  ['', 0],
  ['  ', 0],
  ['0', 0],
  ['-0', 0],
  ['+0', 0],
  ['0s', 0],
  ['5s', 5000],
  ['+5s', 5000],
  ['-1s', -1000],
  ['100ms', 100],
  ['0.5s', 500],
  ['.5s', 500],
  ['5.s', 5000],
  ['1m30s', 90_000],
  ['1h', 3_600_000],
  ['1h0m0.5s', 3_600_500],
  ['1us', 0.001],
  ['1\u00b5s', 0.001],
  ['1\u03bcs', 0.001],
  ['1ns', 0.000001],
  ['1s1s', 2000],
  ['3s1h', 3_603_000],
  ['2562047h47m', 9_223_372_020_000],
];

const INVALID: readonly [text: string, message: RegExp][] = [
  ['5', /"5" is no duration: the unit is missing; write 5s for seconds or 5ms for milliseconds/],
  ['1.5', /write 1\.5s/],
  ['-5', /the unit is missing/],
  ['00', /the unit is missing/],
  ['1 s', /write numbers with units/],
  [' 1s', /without blanks/],
  ['1s ', /without blanks/],
  ['5S', /lower case/],
  ['1D', /lower case/],
  ['1d', /write 24h/],
  ['s', /write numbers with units/],
  ['.s', /write numbers with units/],
  ['-', /write numbers with units/],
  ['+-1s', /write numbers with units/],
  ['1h-1s', /write numbers with units/],
  ['1s5', /write numbers with units/],
  ['1,5s', /write numbers with units/],
  ['1e3s', /write numbers with units/],
  ['--1s', /write numbers with units/],
  ['2562048h', /write numbers with units/],
  ['NaN', /write numbers with units/],
  ['{{x}}', /write numbers with units/],
];

describe('parseDuration', () => {
  for (const [text, milliseconds] of VALID) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.equal(parseDuration(text) + 0, milliseconds);
    });
  }
  for (const [text, message] of INVALID) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseDuration(text),
        (error) => error instanceof DurationError && message.test(error.message),
      );
    });
  }
});

const FORMATTED: readonly [milliseconds: number, text: string][] = [
  [0, '0s'],
  [1, '1ms'],
  [100, '100ms'],
  [1.5, '1.5ms'],
  [0.0015, '1.5\u00b5s'],
  [0.000001, '1ns'],
  [1000, '1s'],
  [1500, '1.5s'],
  [90_000, '1m30s'],
  [3_600_000, '1h0m0s'],
  [3_723_004, '1h2m3.004s'],
  [-90_000, '-1m30s'],
  [-1, '-1ms'],
  [360_000_000, '100h0m0s'],
];

describe('formatDuration', () => {
  for (const [milliseconds, text] of FORMATTED) {
    it(`writes ${milliseconds} ms as ${text}`, () => assert.equal(formatDuration(milliseconds), text));
  }
  it('writes what parseDuration reads back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), (milliseconds) => {
        assert.equal(parseDuration(formatDuration(milliseconds)) + 0, milliseconds);
      }),
    );
  });
});
