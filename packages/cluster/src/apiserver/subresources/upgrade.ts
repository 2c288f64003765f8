/** pods/exec, attach and portforward: connections that change protocol, handed on to the node agent. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Pod } from '@turnsole/kube/kinds/core';
import { badRequest, type StatusError } from '../http/status.ts';
import type { User } from '../http/user.ts';
import { chooseContainer } from './log.ts';

/** A permitted request to connect to a pod. */
export interface UpgradeRequest {
  readonly pod: Pod;
  readonly user: User;
  /** The container that is meant; `''` for portforward. */
  readonly container: string;
  /** `container`, `command` (repeated), `stdin`, `stdout`, `stderr`, `tty`, `ports`. */
  readonly query: URLSearchParams;
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes of the new protocol that came with the request. */
  readonly head: Buffer;
}

/**
 * Answers the handshake and owns the socket from then on; resolves when it has done so. Before the answer it may reject
 * with a StatusError, which refuses the handshake.
 */
export type UpgradeHandler = (request: UpgradeRequest) => Promise<void>;
export type UpgradeKind = 'exec' | 'attach' | 'portforward';

/**
 * Finds what a connection is for: the container, or `''` for portforward; pure.
 *
 * @throws StatusError when the pod has no such container, or several and none was named, or is on no node
 */
export function chooseTarget(pod: Pod, kind: string, query: URLSearchParams): string {
  const container = kind === 'portforward' ? '' : chooseContainer(pod, query.get('container') ?? '');
  if ((pod.spec?.nodeName ?? '') === '') {
    throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  }
  return container;
}

/** Refuses a handshake with a plain HTTP answer. */
export function refuseUpgrade(socket: Duplex, error: StatusError): void {
  const body = JSON.stringify(error.toStatus());
  socket.end(
    `HTTP/1.1 ${error.code} ${error.reason}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
