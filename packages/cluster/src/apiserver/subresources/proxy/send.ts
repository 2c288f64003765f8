import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Clock } from '@turnsole/kube/base/clock';
import { type StatusError, unavailable } from '../../http/status.ts';
import type { ProxyTarget } from './target.ts';

/** Connecting takes this long at most. */
const DIAL_TIMEOUT_MS = 30_000;

/** A request to the server behind the proxy; its body is still to be written. */
export function openRequest(
  target: ProxyTarget,
  asked: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders },
  clock: Pick<Clock, 'setTimer'>,
): ClientRequest {
  // Not by `import`, which would read every export of node:http and so load undici.
  const { request } = process.getBuiltinModule(target.isTls ? 'node:https' : 'node:http');
  const port = portNumber(target);
  if (port === undefined) throw unreachable(new Error(`lookup tcp/${target.port}: unknown port`), target);
  const outgoing = request({
    host: target.host,
    port,
    ...asked,
    // A connection of its own: one that was kept may belong to a pod that is gone.
    agent: false,
    // Pods have certificates of their own making, if any; a real server does not check them either.
    rejectUnauthorized: false,
  });
  const cancel = clock.setTimer(DIAL_TIMEOUT_MS, () => outgoing.destroy(new Error('i/o timeout')), {
    unref: true,
  });
  outgoing.once('socket', (socket) => socket.once('connect', cancel));
  outgoing.once('close', cancel);
  return outgoing;
}

/** Resolves with the answer's head. */
export function answerOf(request: ClientRequest, target: ProxyTarget): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', (error) => reject(unreachable(error, target)));
  });
}

/** The refusal of a request whose target does not answer, in the words of a real server. */
export function unreachable(error: Error, target: ProxyTarget): StatusError {
  return unavailable(`error trying to reach service: ${failureText(error, target)}`);
}

/** `host:port`, as requests name the target. */
export function hostOf({ host, port }: ProxyTarget): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return port === '' ? shown : `${shown}:${port}`;
}

function portNumber({ port, isTls }: ProxyTarget): number | undefined {
  if (port === '') return isTls ? 443 : 80;
  return /^\d{1,5}$/.test(port) && Number(port) < 65_536 ? Number(port) : undefined;
}

const DIAL_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  ECONNRESET: 'read: connection reset by peer',
};

function failureText(error: Error & { readonly code?: string }, target: ProxyTarget): string {
  const why = DIAL_FAILURES[error.code ?? ''] ?? error.message;
  return `dial tcp ${target.host}:${portNumber(target) ?? target.port}: ${why}`;
}
