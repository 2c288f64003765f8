import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { pullLine } from './pull-lines.ts';

test('what the terminal says of pulls', () => {
  const cases = [
    ['Pulling image "redis:7"', 'shop/redis-0: Pulling image "redis:7"'],
    ['Pulling image "redis:7": 12 MB of 40 MB', 'shop/redis-0: Pulling image "redis:7": 12 MB of 40 MB'],
    ['Successfully pulled image "redis:7" in 2s', 'shop/redis-0: Successfully pulled image "redis:7" in 2s'],
    ['Container image "redis:7" already present on machine', undefined],
    [undefined, undefined],
  ] as const;
  for (const [message, line] of cases) {
    const involvedObject = { kind: 'Pod', namespace: 'shop', name: 'redis-0' };
    const event = { metadata: { name: 'e' }, involvedObject, ...(message !== undefined && { message }) };
    assert.equal(pullLine(event as CoreEvent), line);
  }
});
