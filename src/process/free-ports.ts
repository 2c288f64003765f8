import { createServer, type Server } from 'node:net';

/** So many ports of this machine that are free at the moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  // All are held until the last one is known, so that none is given twice.
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenAnywhere(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, () => resolve(server));
  });
}
