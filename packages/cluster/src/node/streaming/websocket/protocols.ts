import { splitList } from '@turnsole/kube/text/split-list';
import { StatusError } from '../../../apiserver/index.ts';
/** A way of carrying several streams in one WebSocket: messages that begin with the number of their channel. */
export interface ChannelProtocol {
  readonly name: string;
  /** Whether messages are text: the channel's digit, then base64. */
  readonly isBase64: boolean;
  /** Whether the error channel carries a Status; before version 4 it carries a text, and nothing on success. */
  readonly hasStatus: boolean;
  /** Whether a message on channel 255 closes another channel; before version 5 input cannot end. */
  readonly hasClose: boolean;
}

/**
 * The protocols of exec and attach, best first; the one without a name is for clients that ask for none.
 * (kubernetes, apimachinery `pkg/util/remotecommand/constants.go` and `pkg/util/httpstream/wsstream`.)
 */
export const EXEC_PROTOCOLS: readonly ChannelProtocol[] = [
  { name: 'v5.channel.k8s.io', isBase64: false, hasStatus: true, hasClose: true },
  { name: 'v4.channel.k8s.io', isBase64: false, hasStatus: true, hasClose: false },
  { name: 'v4.base64.channel.k8s.io', isBase64: true, hasStatus: true, hasClose: false },
  { name: 'channel.k8s.io', isBase64: false, hasStatus: false, hasClose: false },
  { name: 'base64.channel.k8s.io', isBase64: true, hasStatus: false, hasClose: false },
  { name: '', isBase64: false, hasStatus: false, hasClose: false },
];

/** Protocols of port-forward in channels: two for each port, data and error. */
export const FORWARD_PROTOCOLS: readonly ChannelProtocol[] = EXEC_PROTOCOLS.filter(({ name }) =>
  ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', ''].includes(name),
);

/** SPDY frames in messages: what kubectl forwards ports with since 1.31. */
export const TUNNEL_PROTOCOL = 'SPDY/3.1+portforward.k8s.io';

/** The best protocol that both sides know, or undefined; a client that offers none gets the one without a name. Pure. */
export function chooseProtocol<T extends { readonly name: string }>(
  offered: readonly string[],
  known: readonly T[],
): T | undefined {
  const names = offered.length === 0 ? [''] : offered;
  return known.find(({ name }) => names.includes(name));
}

/** The same, for a handshake. @param others what the server knows besides @throws StatusError where there is none */
export function negotiate<T extends { readonly name: string }>(
  offered: readonly string[],
  known: readonly T[],
  others: readonly string[] = [],
): T {
  const chosen = chooseProtocol(offered, known);
  if (chosen !== undefined) return chosen;
  const names = [...others, ...known.map(({ name }) => name)].filter((name) => name !== '').join(', ');
  throw new StatusError(
    403,
    'Forbidden',
    `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(', ')}], server accepts [${names}]`,
  );
}

/** The protocols a handshake offers, in its order; pure. */
export function offeredProtocols(header: string | undefined): string[] {
  return splitList(header ?? '');
}
