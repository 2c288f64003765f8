import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that a test can cut. */
export interface CuttableProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks all connections; new ones are let through. */
  cut(): void;
  /** Refuses or lets through new connections. */
  refuse(refused: boolean): void;
}

/** Starts a proxy on a free loopback port that passes bytes to a port or socket path. */
export async function startTcpProxy(
  target: { readonly port: number } | { readonly path: string },
): Promise<CuttableProxy> {
  /** The clients' ends; each takes the server's end with it. */
  const sockets = new Set<Socket>();
  let isRefusing = false;
  const server = createServer((near) => {
    if (isRefusing) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(target);
    sockets.add(near);
    for (const socket of [near, far]) {
      socket.on('close', () => {
        sockets.delete(near);
        near.destroy();
        far.destroy();
      });
      // The other end sees the break; here it is expected.
      socket.on('error', () => {});
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut,
    refuse: (refused) => {
      isRefusing = refused;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
