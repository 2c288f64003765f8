import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingWords } from './setting-words.ts';

for (const [name, words] of [
  ['TOTAL_CHAOS_DURATION', 'Length of the chaos'],
  ['HTTP_STATUS_CODE', 'HTTP status code'],
  ['FILL_PERCENTAGE', 'Fill percentage'],
  ['proxyPort', 'Proxyport'],
  ['_', '_'],
  ['', ''],
] as const)
  test(`the setting ${JSON.stringify(name)} in words`, () => assert.equal(settingWords(name), words));
