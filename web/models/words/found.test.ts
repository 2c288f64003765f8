import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_EVALUATED } from '../../../src/chaos/close-result.ts';
import { foundWords } from './found.ts';

test('a probe that has found nothing says so in plain words; what others found stays as it is', () => {
  assert.equal(foundWords(NOT_EVALUATED), 'it was not asked, or not judged');
  assert.equal(
    foundWords(`${NOT_EVALUATED}; what it found last: 503`),
    'it was not asked, or not judged; what it found last: 503',
  );
  assert.equal(foundWords('200'), '200');
});
