import type { IncomingMessage } from 'node:http';
import type { Clock } from '@turnsole/kube/base/clock';
import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { readBody } from '@turnsole/kube/serve/body';
import { type HttpReply, textReply } from '@turnsole/kube/serve/reply';
import { type HttpServer, startHttpServer } from '@turnsole/kube/serve/server';
import { agentAnnotations } from '../agent-mode.ts';
import { type MachineOrder, parseMachineOrder } from './machine-order.ts';

/** An order is a line; more is not read. */
const BODY_LIMIT = 4096;

/** What the machine needs. */
interface MachineServerOptions {
  /** Unix socket; its folder is for this user alone. */
  readonly path: string;
  readonly client: Pick<KubeClient, 'patch'>;
  readonly clock: Clock;
  /** Receives a sentence about a connection that could not be accepted; the server goes on listening. */
  readonly onProblem: (message: string) => void;
}

/**
 * The machine that the embedded nodes stand for, as privileged pods reach it: what init and the power switch are elsewhere.
 *
 * `PUT /nodes/NAME/agent` with `{"mode":"stopped","seconds":30}` sets the node's agent to a mode; after these seconds it runs again by
 * itself, and repeating the order puts that off. Answers 204, 400 for an unreadable order, 413 for one that is too long, 404 for another
 * path or node. The server writes the node's annotations (agent-mode.ts), so that a kept cluster goes on where it was when it is started
 * again.
 */
export class MachineServer {
  readonly #options: MachineServerOptions;
  #server: HttpServer | undefined;

  constructor(options: MachineServerOptions) {
    this.#options = options;
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const { path, onProblem } = this.#options;
    this.#server = await startHttpServer({
      what: 'the machine of the nodes',
      address: { path },
      answer: (request) => this.#answer(request),
      onServerError: ({ message }) =>
        onProblem(`cannot accept a connection to the machine of the nodes: ${message}`),
    });
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #answer(request: IncomingMessage): Promise<HttpReply> {
    const name = /^\/nodes\/([a-z0-9.-]+)\/agent$/.exec(request.url ?? '')?.[1];
    if (request.method !== 'PUT' || name === undefined) {
      return textReply(404, 'PUT /nodes/NAME/agent is all there is');
    }
    const order = parseMachineOrder(await readBody(request, BODY_LIMIT));
    if (typeof order === 'string') return textReply(400, order);
    try {
      await this.#carryOut(name, order);
      return textReply(204, '');
    } catch (error) {
      if (isNotFound(error)) return textReply(404, `there is no node ${name}`);
      if (error instanceof ApiError) return textReply(502, error.message);
      throw error;
    }
  }

  async #carryOut(name: string, { mode, seconds }: MachineOrder): Promise<void> {
    const { client, clock } = this.#options;
    const until = seconds === undefined ? undefined : clock.now() + seconds * 1000;
    await client.patch<Node>(NODES, name, 'merge', {
      metadata: { annotations: agentAnnotations(mode, until) },
    });
  }
}
