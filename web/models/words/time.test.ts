import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockWords, dayWords, exactWords, minuteWords } from './time.ts';

const AT = Date.UTC(2026, 10, 24, 23, 45, 11);

test('a time is written exactly, in the zone of its reader', () => {
  assert.equal(exactWords(AT, 'UTC'), '24 Nov 2026, 23:45:11 UTC');
  assert.match(exactWords(AT, 'Asia/Tokyo'), /^25 Nov 2026, 08:45:11 /);
  assert.equal(exactWords(Number.NaN), 'at an unknown time');
  assert.equal(clockWords(AT, 'UTC'), '23:45:11');
  assert.equal(minuteWords(AT, 'UTC'), 'Tue, 24 Nov 2026, 23:45 UTC');
});

test('a day is that of the reader', () => {
  assert.equal(dayWords(AT, 'UTC'), '24 Nov 2026');
  assert.equal(dayWords(AT, 'Asia/Tokyo'), '25 Nov 2026');
  assert.equal(dayWords(Number.NaN), 'an unknown day');
});
