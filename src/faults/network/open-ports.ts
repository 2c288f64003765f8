import { connect } from 'node:net';

/** A pod that is there answers in moments; what a policy drops does not at all. */
const LIMIT_MS = 1_000;

/** Those of the TCP ports of an address that accept a connection. Never rejects for a port that does not answer. */
export async function openPorts(
  address: string,
  ports: readonly number[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const answers = await Promise.all(ports.map((port) => isOpen(address, port, signal)));
  signal.throwIfAborted();
  return ports.filter((_, index) => answers[index]);
}

function isOpen(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const socket = connect({ host, port, signal: limited });
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', end(true)).on('error', end(false));
  });
}
