import { once } from 'node:events';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { ControlPlane, Reply } from '../suite/control-plane.ts';
import { type RecordedDocument, textOf } from './documents.ts';

/** The answer to a GraphQL request. */
export interface GraphqlAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** What the page sends in the header of one who is not signed in: it makes text of a value that is absent. */
const NOT_SIGNED_IN = 'null';

/** Requests in the envelopes of ChaosCenter's page. */
export class PageConnection {
  readonly #plane: ControlPlane;
  token = NOT_SIGNED_IN;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  /** A REST request: every one says that it has JSON, also those without a body. */
  rest(method: string, path: string, body?: object): Promise<Reply> {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${this.token}` };
    return this.#plane.send(method, `/auth${path}`, headers, body && JSON.stringify(body));
  }

  /** A query or mutation. */
  async ask(document: RecordedDocument, variables: object): Promise<GraphqlAnswer> {
    const headers = {
      accept: '*/*',
      'content-type': 'application/json',
      authorization: `Bearer ${this.token}`,
    };
    const body = JSON.stringify({ operationName: document.name, variables, query: textOf(document) });
    return (await this.#plane.send('POST', '/api/query', headers, body)).body as GraphqlAnswer;
  }

  /** The first answer of a subscription, over the protocol of subscriptions-transport-ws. @throws Error when none comes */
  async subscribe(document: RecordedDocument, variables: object): Promise<GraphqlAnswer> {
    const url = `${this.#plane.url.replace('http', 'ws')}/api/query`;
    const socket = new WebSocket(url, 'graphql-ws');
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      await once(socket, 'open', { signal });
      const sent = (message: object): void => socket.send(JSON.stringify(message));
      sent({ type: 'connection_init', payload: { Authorization: `Bearer ${this.token}` } });
      const payload = { operationName: document.name, variables, query: textOf(document) };
      sent({ id: '1', type: 'start', payload });
      for (;;) {
        const [{ data }] = (await once(socket, 'message', { signal })) as [{ data: string }];
        const message = JSON.parse(data) as { type: string; payload?: GraphqlAnswer };
        if (message.type === 'data') return message.payload ?? {};
        if (message.type === 'error' || message.type === 'complete') throw new Error(data);
      }
    } finally {
      socket.close();
    }
  }
}
