/** The process of an embedded cluster that is killed. Arguments: data folder, port, isolation. Says `ready <kubeconfig>`; `drop` cuts connections. */
import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { startChaosCluster } from '../../../src/embedded/index.ts';
import { NODE_COUNT } from './application.ts';
import { IMAGES } from './images.ts';

const sockets = new Set<Socket>();
diagnostics.subscribe('net.server.socket', (message) => {
  // The channel's documented message.
  const { socket } = message as { socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});

const [dataDir = '', port = '0', isolation = 'none'] = process.argv.slice(2);
const cluster = await startChaosCluster({
  dataDir,
  port: Number(port),
  nodes: NODE_COUNT,
  isolation: isolation === 'full' ? 'full' : 'none',
  images: IMAGES,
});
process.stdout.write(`ready ${cluster.kubeconfigPath} ${cluster.server}\n`);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'drop') for (const socket of sockets) socket.destroy();
  })
  .on('close', () => {
    void cluster.close({ graceMs: 500 }).then(() => process.exit(0));
  });
