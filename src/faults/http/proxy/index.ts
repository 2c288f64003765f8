/** A streaming proxy for TCP, and for HTTP/1 on top of it. See ../README.md. */
export type { HttpFault } from './http-fault.ts';
export { httpRelay } from './http-relay.ts';
export { tcpRelay } from './relay.ts';
export { TcpProxy } from './tcp-proxy.ts';
