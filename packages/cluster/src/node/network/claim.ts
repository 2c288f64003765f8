import { createServer, type Server } from 'node:net';

/** Something that only one process of a network namespace has at a time. */
export interface Claim {
  /** Gives it back. Idempotent. */
  readonly release: () => Promise<void>;
}

/**
 * Claims a name, or gives undefined when another process has it. Linux only: a socket in the abstract namespace, so the
 * claim ends with the process, whatever ends it, and leaves nothing to clean up.
 */
export async function claimName(name: string): Promise<Claim | undefined> {
  const server = await listen({ path: `\0${name}` });
  if (server === undefined) return undefined;
  let released: Promise<void> | undefined;
  return {
    release: () => {
      released ??= new Promise((resolve) => server.close(() => resolve()));
      return released;
    },
  };
}

/** Listens without keeping the process alive; undefined when the path or port is taken. */
export function listen(
  where: { path: string } | { host: string; port: number },
): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(where, () => {
      server.unref();
      resolve(server);
    });
  });
}
