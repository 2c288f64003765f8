/** The process of an embedded cluster that is killed. Arguments: data folder, port. Says `ready <kubeconfig>`; `drop` cuts connections. */
import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startEmbeddedCluster } from '../../../src/local/index.ts';

const sockets = new Set<Socket>();
diagnostics.subscribe('net.server.socket', (message) => {
  // The channel's documented message.
  const { socket } = message as { socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});

const [dataDir = '', port = '0'] = process.argv.slice(2);
const component = fileURLToPath(new URL('component.ts', import.meta.url));
const cluster = await startEmbeddedCluster({
  dataDir,
  port: Number(port),
  nodes: 2,
  isolation: 'none',
  images: new Map([['crash/chaos', { entrypoint: [process.execPath, component] }]]),
});
process.stdout.write(`ready ${cluster.kubeconfigPath} ${cluster.server}\n`);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'drop') for (const socket of sockets) socket.destroy();
  })
  .on('close', () => {
    void cluster.close({ graceMs: 500 }).then(() => process.exit(0));
  });
