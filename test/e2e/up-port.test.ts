import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { it } from 'node:test';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';
import { detachedCluster, output } from '../support/up.ts';

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // An object for servers that listen on a port.
  return { server, port: (server.address() as AddressInfo).port };
}

it('up --port serves the API on that port', async () => {
  const [port = 0] = await freePorts(1);
  await using cluster = await detachedCluster(['--port', String(port)]);
  const kubeconfig = await output('cat', [cluster.kubeconfig]);
  assert.match(kubeconfig, new RegExp(`https://127\\.0\\.0\\.1:${port}"`));
});

it('up says which port is taken', async () => {
  const { server, port } = await listening();
  await using folder = await temporaryFolder();
  const { code, stderr } = await turnsole(['up', '--port', String(port)], {
    XDG_STATE_HOME: folder.path,
  });
  server.close();
  assert.equal(code, 3, stderr);
  assert.match(stderr, new RegExp(`cannot start the embedded cluster: .*${port}`));
});
