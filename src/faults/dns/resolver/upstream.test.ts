import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from './upstream.ts';

test('a pod without a way to its name servers gets an error, and the interceptor goes on', async () => {
  // UDP sockets are not let to it, as if there were no way there.
  await assert.rejects(ask(Buffer.alloc(12), ['255.255.255.255'], 'udp'), { code: 'EACCES' });
});

test('without name servers there is nobody to ask', async () => {
  await assert.rejects(ask(Buffer.alloc(12), [], 'tcp'), /the pod has no name servers/);
});
