import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClusterConfig } from '@turnsole/kube/client/types';

/** Traffic of the proxy since the last question. */
export interface Traffic {
  /** Requests by verb and resource: `patch workflows`. */
  readonly requests: ReadonlyMap<string, number>;
  /** Of bodies of the requests that {@link requestsOf} counts. */
  readonly sentBytes: number;
}

/**
 * A plain HTTP server in front of the embedded cluster's Unix socket that counts what a controller asks for. It is the same for every
 * controller, whether that counts by itself or not.
 */
export class CountingProxy implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  #requests = new Map<string, number>();
  #sentBytes = 0;

  private constructor(server: Server) {
    this.#server = server;
    // A server that listens on a TCP port has an address with a port.
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @param target the administrator's way to the API server; every client of the proxy has the same rights */
  static async start({ socketPath, token }: ClusterConfig): Promise<CountingProxy> {
    const authorization = `Bearer ${(await token?.()) ?? ''}`;
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new CountingProxy(server);
    server.on('request', (asked, answer) => {
      const { method = 'GET', url = '/', headers } = asked;
      const key = requestKey(method, url);
      proxy.#requests.set(key, (proxy.#requests.get(key) ?? 0) + 1);
      const onward = request(
        { socketPath, method, path: url, headers: { ...headers, authorization } },
        (answered) => {
          answer.writeHead(answered.statusCode ?? 502, answered.headers);
          answer.flushHeaders();
          answered.pipe(answer);
        },
      );
      onward.on('error', () => answer.destroy());
      answer.on('close', () => onward.destroy());
      asked.on('data', (chunk: Buffer) => {
        if (isCounted(key)) proxy.#sentBytes += chunk.length;
      });
      asked.pipe(onward);
    });
    return proxy;
  }

  take(): Traffic {
    const traffic = { requests: this.#requests, sentBytes: this.#sentBytes };
    this.#requests = new Map();
    this.#sentBytes = 0;
    return traffic;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Verb and resource of a request: `/apis/argoproj.io/v1alpha1/namespaces/x/workflows/y` is `workflows`. */
function requestKey(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://cluster');
  const path = pathname.replace(/^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?/, '');
  const [, resource = 'discovery', name, subresource] = path.split('/');
  const reads = searchParams.has('watch') ? 'watch' : name === undefined ? 'list' : 'get';
  const verb = method === 'GET' ? reads : method.toLowerCase();
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** Not the requests that write Events, hold leases and open watches. */
function isCounted(key: string): boolean {
  return !/ (?:events|leases|discovery)|^watch /.test(key);
}

/** How many requests there were, of those that count. */
export function requestsOf({ requests }: Traffic): number {
  let sum = 0;
  for (const [key, count] of requests) if (isCounted(key)) sum += count;
  return sum;
}
