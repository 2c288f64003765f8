import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { openPorts } from './open-ports.ts';

const { signal } = new AbortController();

async function listening() {
  const server = createServer((socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}

test('the ports with a listener', async () => {
  const [one, two] = await Promise.all([listening(), listening()]);
  try {
    assert.deepEqual(await openPorts('127.0.0.1', [one.port, two.port], signal), [one.port, two.port]);
    two.server.close();
    await once(two.server, 'close');
    assert.deepEqual(await openPorts('127.0.0.1', [one.port, two.port], signal), [one.port]);
    assert.deepEqual(await openPorts('127.0.0.1', [], signal), []);
    await assert.rejects(openPorts('127.0.0.1', [one.port], AbortSignal.abort(new Error('over'))), /over/);
  } finally {
    one.server.close();
    two.server.close();
  }
});
