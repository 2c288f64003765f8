import assert from 'node:assert/strict';
import { test } from 'node:test';
import { themeOf } from './theme.ts';

for (const [kept, theme] of [
  ['light', 'light'],
  ['dark', 'dark'],
  [null, 'system'],
  ['system', 'system'],
  ['</style>', 'system'],
] as const) {
  test(`a kept theme of ${kept} is ${theme}`, () => assert.equal(themeOf(kept), theme));
}
