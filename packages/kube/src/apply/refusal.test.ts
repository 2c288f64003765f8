import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../client/errors.ts';
import { isRefusal } from './refusal.ts';

describe('isRefusal', () => {
  const TABLE: readonly [code: number, expected: boolean][] = [
    [400, true],
    [401, false],
    [403, true],
    [404, true],
    [409, true],
    [422, true],
    [429, false],
    [500, false],
    [503, false],
  ];
  for (const [code, expected] of TABLE) {
    it(`${code}: ${expected}`, () => assert.equal(isRefusal(new ApiError('POST /x', code, {})), expected));
  }
});
