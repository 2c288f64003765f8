import type { IncomingMessage } from 'node:http';
import type { Handshake } from '../websocket/accept.ts';
import { negotiate, offeredProtocols } from '../websocket/protocols.ts';

/** A version of the streams in a SPDY connection. */
export interface SpdyProtocol {
  readonly name: string;
  /** Whether the error stream carries a Status; before version 4 it carries a text, and nothing on success. */
  readonly hasStatus: boolean;
  /** Whether the client opens a stream for the terminal's size. */
  readonly hasResize: boolean;
}

/** The versions of exec and attach, best first; clients that name none mean the first one there was. */
export const SPDY_EXEC_PROTOCOLS: readonly SpdyProtocol[] = [
  { name: 'v4.channel.k8s.io', hasStatus: true, hasResize: true },
  { name: 'v3.channel.k8s.io', hasStatus: false, hasResize: true },
  { name: 'v2.channel.k8s.io', hasStatus: false, hasResize: false },
  { name: 'channel.k8s.io', hasStatus: false, hasResize: false },
  { name: '', hasStatus: false, hasResize: false },
];

/** The only version of port-forward. */
export const SPDY_FORWARD_PROTOCOLS: readonly { readonly name: string }[] = [
  { name: 'portforward.k8s.io' },
  { name: '' },
];

/** Whether a request asks for SPDY/3.1. */
export function isSpdy({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '').toLowerCase() === 'spdy/3.1';
}

/** Answers the handshake; gives the chosen version. @throws StatusError when no version is known to both sides */
export function acceptSpdy<T extends { readonly name: string }>(
  { message, socket }: Handshake,
  known: readonly T[],
): T {
  const header = message.headers['x-stream-protocol-version'];
  const protocol = negotiate(offeredProtocols(Array.isArray(header) ? header.join(',') : header), known);
  const version = protocol.name === '' ? '' : `X-Stream-Protocol-Version: ${protocol.name}\r\n`;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${version}\r\n`,
  );
  return protocol;
}
