import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Node } from '../../../api/core.ts';
import { NODES } from '../../../api/resources.ts';
import { ApiError, isNotFound } from '../../../kube/client/errors.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { Clock } from '../../../kube/runtime/clock.ts';
import { agentAnnotations } from '../agent-mode.ts';
import { type MachineOrder, parseMachineOrder } from './machine-order.ts';

/** An order is a line; nobody has to read more. */
const BODY_LIMIT = 4096;

/** What the machine needs. */
export interface MachineServerOptions {
  /** Unix socket; its folder is for this user alone. */
  readonly path: string;
  readonly client: Pick<KubeClient, 'patch'>;
  readonly clock: Clock;
}

/**
 * The machine that the embedded nodes stand for, as privileged pods reach it: what init and the power switch are elsewhere.
 *
 * `PUT /nodes/NAME/agent` with `{"mode":"stopped","seconds":30}` sets the node's agent to a mode, after these seconds it runs again by
 * itself; repeating it puts that off. Answers 204, 400 for an order that cannot be read, 404 for another path or node. It goes by the
 * node's annotations (agent-mode.ts), so that a cluster which is kept and started again goes on where it was.
 */
export class MachineServer {
  readonly #options: MachineServerOptions;
  readonly #server: Server;

  constructor(options: MachineServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#handle(request).then(
        ([status, text]) => answer(response, status, text),
        (error: unknown) => answer(response, 500, error instanceof Error ? error.message : String(error)),
      );
    });
  }

  /** Resolves when it listens. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.path, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage): Promise<readonly [number, string]> {
    const name = /^\/nodes\/([a-z0-9.-]+)\/agent$/.exec(request.url ?? '')?.[1];
    if (request.method !== 'PUT' || name === undefined) return [404, 'PUT /nodes/NAME/agent is all there is'];
    const order = parseMachineOrder(await readBody(request));
    if (typeof order === 'string') return [400, order];
    try {
      await this.#carryOut(name, order);
      return [204, ''];
    } catch (error) {
      if (isNotFound(error)) return [404, `there is no node ${name}`];
      if (error instanceof ApiError) return [502, error.message];
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_LIMIT) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
}
