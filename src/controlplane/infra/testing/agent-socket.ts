/** An agent's connection as upstream's makes it: no subprotocol, no ID, values as literals, the subscription before the acknowledgement. */
import { once } from 'node:events';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WebSocket } from 'ws';
import type { TestAgent } from '../../server/testing/test-server.ts';

/** A frame of the server. */
export interface AgentFrame {
  readonly type: string;
  readonly payload?: {
    readonly data?: { readonly infraConnect: { readonly action: AgentAction } } | null;
    readonly errors?: readonly { readonly message: string }[];
  };
}

/** An action as the frame has it. */
export interface AgentAction {
  readonly requestID: string;
  readonly requestType: string;
  readonly k8sManifest: string;
  readonly externalData: string | null;
  readonly namespace: string;
  readonly username: string | null;
}

export class AgentSocket implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly #frames: AgentFrame[] = [];
  #arrived = (): void => {};

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const frame: AgentFrame = JSON.parse(data.toString());
      if (frame.type === 'ka' || frame.type === 'connection_ack') return;
      this.#frames.push(frame);
      this.#arrived();
    });
  }

  /** @param url of the server, without a path @param more arguments of `infraConnect` beside the identity */
  static async connect(
    url: string,
    { infraID, accessKey, version }: TestAgent,
    options: { readonly more?: string; readonly autoPong?: boolean } = {},
  ): Promise<AgentSocket> {
    const { more = '', autoPong = true } = options;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/query`, { autoPong });
    const agent = new AgentSocket(socket);
    await once(socket, 'open');
    const identity = `infraID: "${infraID}", version: "${version}", accessKey: "${accessKey}"`;
    const action = 'action { k8sManifest externalData requestID requestType username namespace }';
    const query = `subscription { infraConnect(request: { ${identity} }${more}) { ${action} } }`;
    socket.send('{"type":"connection_init"}');
    socket.send(JSON.stringify({ type: 'start', payload: { query } }));
    return agent;
  }

  /** The next frame that is neither an acknowledgement nor a sign of life; for one who waits at a time. */
  async next(): Promise<AgentFrame> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const limit = setTimeout(() => reject(new Error(`no frame for ${PATIENCE_MS} ms`)), PATIENCE_MS);
    try {
      for (;;) {
        const frame = this.#frames.shift();
        if (frame !== undefined) return frame;
        const arrived = new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
        await Promise.race([arrived, late]);
      }
    } finally {
      clearTimeout(limit);
    }
  }

  /** The next frame's action. @throws Error where it is another one */
  async action(): Promise<AgentAction> {
    const frame = await this.next();
    const action = frame.payload?.data?.infraConnect.action;
    if (action === undefined) throw new Error(`no action: ${JSON.stringify(frame)}`);
    return action;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    this.socket.close();
    await once(this.socket, 'close');
  }
}
