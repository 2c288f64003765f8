/** A streaming proxy for TCP, and for HTTP/1 on top of it. See ../README.md. */
export type { BodySpec, HttpFault } from './http-fault.ts';
export { type HttpRelayOptions, httpRelay } from './http-relay.ts';
export {
  type Relay,
  type RelayContext,
  type RelayFactory,
  type Tally,
  type TcpDelay,
  tcpRelay,
} from './relay.ts';
export { TcpProxy, type TcpProxyOptions } from './tcp-proxy.ts';
