import { createServer, type Server } from 'node:net';

/**
 * Where ports are looked for: above those of well-known programs, below NodePorts (from 30000) and below those that machines give to programs
 * which ask for any (from 32768 on Linux, 49152 elsewhere).
 */
const FIRST = 20_000;
const COUNT = 10_000;
/** On a machine on which so many are taken, any port will do. */
const TRIES = 100;

/** Free ports of this machine. The caller may bind them later: the system does not give them to other programs that ask for any port. */
export async function freePorts(
  count: number,
  random: () => number = Math.random,
): Promise<readonly number[]> {
  // All are held until the last one is known, so that none is given twice.
  const servers: Server[] = [];
  try {
    while (servers.length < count) servers.push(await listenSomewhere(random));
    return servers.map((server) => (server.address() as { readonly port: number }).port);
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

async function listenSomewhere(random: () => number): Promise<Server> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const server = await listenAt(FIRST + Math.floor(random() * COUNT)).catch(() => undefined);
    if (server !== undefined) return server;
  }
  return listenAt(0);
}

function listenAt(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, () => resolve(server));
  });
}
