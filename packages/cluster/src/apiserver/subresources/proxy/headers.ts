/** What a proxy changes of requests and answers. Everything here is pure. */

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { splitList } from '@turnsole/kube/text/split-list';

/** They belong to one connection (RFC 9110, section 7.6.1). */
const OF_THE_CONNECTION: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** A server behind the proxy must not decide which sites may read answers of the API server. */
const CORS = /^access-control-(?:allow|expose|max|request)-/;
const BEARER_PROTOCOL = /^base64url\.bearer\.authorization\.k8s\.io\./;

/** Headers for the server behind the proxy: never those by which the client has signed in. */
export function forwardedHeaders(headers: IncomingHttpHeaders, path: string): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = {};
  const named = namedByConnection(headers);
  for (const [name, value] of Object.entries(headers)) {
    if (OF_THE_CONNECTION.includes(name) || named.has(name)) continue;
    if (name === 'authorization' || name.startsWith('impersonate-') || name === 'content-length') continue;
    if (name === 'sec-websocket-protocol') continue;
    forwarded[name] = value;
  }
  const protocols = splitList(headers['sec-websocket-protocol'] ?? '').filter(
    (protocol) => !BEARER_PROTOCOL.test(protocol),
  );
  if (protocols.length > 0) forwarded['sec-websocket-protocol'] = protocols.join(', ');
  const before = headers['x-forwarded-for'];
  // The server listens on loopback only.
  forwarded['x-forwarded-for'] = before === undefined ? '127.0.0.1' : `${String(before)}, 127.0.0.1`;
  forwarded['x-forwarded-uri'] = path;
  return forwarded;
}

/** Headers for the client. `prefix` is the path of the proxy, without a slash at its end. */
export function returnedHeaders(
  headers: IncomingHttpHeaders,
  source: { readonly prefix: string; readonly hosts: readonly string[] },
): OutgoingHttpHeaders {
  const returned: OutgoingHttpHeaders = {};
  const named = namedByConnection(headers);
  for (const [name, value] of Object.entries(headers)) {
    if (OF_THE_CONNECTION.includes(name) || named.has(name) || CORS.test(name)) continue;
    returned[name] = value;
  }
  if (headers.location !== undefined) returned.location = returnedLocation(headers.location, source);
  return returned;
}

/**
 * A Location below the proxy's path, for one that leads to another path of the same server. Relative ones and those to other
 * hosts stay.
 */
export function returnedLocation(
  location: string,
  { prefix, hosts }: { readonly prefix: string; readonly hosts: readonly string[] },
): string {
  const absolute = /^(?:[a-z][a-z\d+.-]*:)?\/\/([^/?#]*)(.*)$/i.exec(location);
  if (absolute !== null && !hosts.includes(absolute[1] ?? '')) return location;
  const rest = absolute === null ? location : (absolute[2] ?? '');
  if (!rest.startsWith('/')) return location;
  return rest.startsWith(prefix) ? rest : `${prefix}${rest}`;
}

/** Further headers that the Connection header says are of the connection only. */
function namedByConnection({ connection = '' }: IncomingHttpHeaders): ReadonlySet<string> {
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
