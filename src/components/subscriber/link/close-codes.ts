/** What a closed connection means for the next one. */
export type CloseMeaning =
  /** Try again soon. */
  | 'retry'
  /** The server will say the same again until something is changed: try seldom, and say so. */
  | 'refuse'
  /** The server does not know what was offered: try again with the older protocol. */
  | 'legacy';

/**
 * Close codes that do not simply mean "try again", with the reason.
 * Source: the protocol document of graphql-transport-ws; 1000 to 1015 are RFC 6455.
 */
const MEANINGS: Readonly<Record<number, { readonly meaning: CloseMeaning; readonly why: string }>> = {
  1002: { meaning: 'legacy', why: 'the server did not understand the protocol (1002)' },
  4400: { meaning: 'legacy', why: 'the server did not understand a message (4400)' },
  4401: { meaning: 'refuse', why: 'the server does not let us subscribe (4401 Unauthorized)' },
  4403: { meaning: 'refuse', why: 'the server does not let us connect (4403 Forbidden)' },
  4406: { meaning: 'legacy', why: 'the server does not speak the protocol (4406)' },
};

/** What a close code means; any that has no row is a connection that broke. */
export function meaningOf(
  code: number,
  reason: string,
): { readonly meaning: CloseMeaning; readonly why: string } {
  const known = MEANINGS[code];
  if (known !== undefined) return known;
  return {
    meaning: 'retry',
    why: `the connection was closed (${code}${reason === '' ? '' : `: ${reason}`})`,
  };
}

/** What the answer to the handshake means when it was no change of protocol. */
export function meaningOfStatus(status: number): { readonly meaning: CloseMeaning; readonly why: string } {
  if (status === 401 || status === 403) {
    const why = `the server refused the WebSocket (${status}); its ALLOWED_ORIGINS must match the host of SERVER_ADDR`;
    return { meaning: 'refuse', why };
  }
  if (status === 404) {
    return {
      meaning: 'refuse',
      why: 'nothing answers to WebSockets at SERVER_ADDR (404); it must end in /query',
    };
  }
  return {
    meaning: status === 400 ? 'legacy' : 'retry',
    why: `the server refused the WebSocket (${status})`,
  };
}
