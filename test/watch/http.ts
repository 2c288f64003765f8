import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import type { ApiServer } from '@turnsole/cluster/apiserver/index';

/** A parsed answer. */
export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** Requests to one server, over its Unix socket or through TLS. */
export class Http {
  readonly #api: ApiServer;
  readonly #authority: Buffer;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(api: ApiServer, dataDir: string) {
    this.#api = api;
    this.#authority = readFileSync(join(dataDir, 'ca.crt'));
  }

  /** Sends a request with a JSON body. */
  async call<T>(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer<T>> {
    const request = plainRequest({
      socketPath: this.#socketPath,
      method,
      path,
      agent: this.#agent,
      headers: { ...this.#authorization, ...(body === undefined ? {} : { 'content-type': type }) },
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const response = await responseOf(request);
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece);
    // The caller knows what it asked for; the oracle checks what it got.
    const parsed = JSON.parse(Buffer.concat(pieces).toString('utf8')) as T;
    return { status: response.statusCode ?? 0, body: parsed };
  }

  /** Opens a stream on a connection of its own. */
  open(path: string, isSecure: boolean): ClientRequest {
    const headers = this.#authorization;
    const request = isSecure
      ? secureRequest(`${this.#api.server}${path}`, { ca: this.#authority, agent: false, headers })
      : plainRequest({ socketPath: this.#socketPath, path, agent: false, headers });
    request.end();
    return request;
  }

  close(): void {
    this.#agent.destroy();
  }

  get #socketPath(): string {
    const { socketPath } = this.#api.adminConfig;
    assert.ok(socketPath !== undefined);
    return socketPath;
  }

  get #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.#api.adminToken}` };
  }
}

/** The answer to a request; rejects when the connection fails. */
export async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = await once(request, 'response');
  // Node's documented argument of the event.
  return response as IncomingMessage;
}
