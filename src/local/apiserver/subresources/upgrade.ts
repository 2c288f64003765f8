/** pods/exec, attach and portforward: connections that change protocol, handed on to the node agent. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Pod } from '../../../api/core.ts';
import type { User } from '../auth/user.ts';
import type { StatusError } from '../http/status.ts';

/** A permitted request to connect to a pod. */
export interface UpgradeRequest {
  readonly pod: Pod;
  readonly user: User;
  /** `container`, `command` (repeated), `stdin`, `stdout`, `stderr`, `tty`, `ports`. */
  readonly query: URLSearchParams;
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes of the new protocol that came with the request. */
  readonly head: Buffer;
}

/** Answers the handshake and owns the socket from then on. */
export type UpgradeHandler = (request: UpgradeRequest) => void;
export type UpgradeKind = 'exec' | 'attach' | 'portforward';

/** Refuses a handshake with a plain HTTP answer. */
export function refuseUpgrade(socket: Duplex, error: StatusError): void {
  const body = JSON.stringify(error.toStatus());
  socket.end(
    `HTTP/1.1 ${error.code} ${error.reason}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
