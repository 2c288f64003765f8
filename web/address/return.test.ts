import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returningTo, returnPath } from './return.ts';

test('signing in leads back to where the reader was', () => {
  const path = '/project/p 1/runs/r?v=1&t=1-2';
  assert.equal(returnPath(returningTo(path)), path);
});

for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '']) {
  test(`signing in leads nowhere else: ${to}`, () => assert.equal(returnPath(returningTo(to)), undefined));
}
