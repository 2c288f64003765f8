import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { WebSocket } from 'ws';
import { concealed } from '../../../agent-link/answer.ts';
import { type Operation, tlsOptionsOf } from '../../../agent-link/client.ts';
import type { ControlPlaneAddress, InfraIdentity } from '../../../agent-link/settings.ts';
import type { Action } from '../commands/action.ts';
import {
  type Dialect,
  dialectOf,
  type Frame,
  INIT_FRAME,
  NO_OFFERS,
  type Offers,
  PONG_FRAME,
  PROTOCOLS,
  readFrame,
  subscribeFrame,
} from './frames.ts';
import { deadlineOf, type Effect, IDLE, type Link, type LinkEvent, step } from './step.ts';

/** What the connection needs. */
interface ControlPlaneLinkOptions extends Omit<BasicsWithRandom, 'client'> {
  readonly address: ControlPlaneAddress;
  /** The identity at the time of a subscription: keys change. */
  readonly identity: () => Parameters<typeof subscription>[0];
  /** Milliseconds that only go forward. */
  readonly monotonic: () => number;
  /** Types of requests of our own that are answered. */
  readonly answers: readonly string[];
  /** Must not block: actions run on their own. @param offers of the server by which it came */
  readonly onAction: (action: Action, offers: Offers) => void;
  /** @param offers of the server, while it is connected */
  readonly onState?: (link: Link, offers: Offers) => void;
}

/** Larger messages end the connection: no manifest of an object is as large. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * Keeps one subscription to the actions of the control plane, over as many connections as it takes. {@link step} decides what is done
 * when; this class does it, and reports to `step` what happened.
 */
export class ControlPlaneLink {
  readonly #options: ControlPlaneLinkOptions;
  #link: Link = IDLE;
  #offers: Offers = NO_OFFERS;
  #socket: WebSocket | undefined;
  #cancelTimer = (): void => {};

  constructor(options: ControlPlaneLinkOptions) {
    this.#options = options;
  }

  get state(): Link {
    return this.#link;
  }

  start(): void {
    this.#handle({ type: 'start' });
  }

  /** Ends the subscription. */
  stop(): void {
    this.#handle({ type: 'stop' });
  }

  #handle(event: LinkEvent): void {
    const { monotonic, random, onState } = this.#options;
    const before = this.#link;
    const { link, effects } = step(before, event, { now: monotonic(), random: random() });
    this.#link = link;
    for (const effect of effects) this.#do(effect);
    if (link.state !== before.state) {
      this.#log(link);
      onState?.(link, this.#offers);
    }
    this.#arm();
  }

  #log(link: Link): void {
    const { logger } = this.#options;
    if (link.state === 'live') logger.info({ attempt: link.attempt }, 'connected to the control plane');
    if (link.state !== 'waiting' && link.state !== 'refused') return;
    logger.warn(
      { detail: link.why, attempt: link.attempt },
      link.state === 'refused'
        ? 'the control plane refuses this agent; it is asked again'
        : 'not connected to the control plane',
    );
  }

  /** One timer for the earliest deadline. */
  #arm(): void {
    this.#cancelTimer();
    const deadline = deadlineOf(this.#link);
    if (deadline === undefined) return;
    const { clock, monotonic } = this.#options;
    this.#cancelTimer = clock.setTimer(Math.max(0, deadline - monotonic()), () =>
      this.#handle({ type: 'time' }),
    );
  }

  #do(effect: Effect): void {
    switch (effect.type) {
      case 'dial':
        void this.#dial(effect.socket, effect.offersProtocols);
        return;
      case 'init':
        this.#socket?.send(INIT_FRAME);
        return;
      case 'subscribe':
        this.#offers = effect.offers;
        this.#subscribe(effect.dialect);
        return;
      case 'ping':
        this.#socket?.ping();
        return;
      case 'pong':
        this.#socket?.send(PONG_FRAME);
        return;
      case 'close':
        this.#close();
        return;
      case 'act':
        this.#options.onAction(effect.action, this.#offers);
        return;
      case 'ignore':
        this.#options.logger.warn({ detail: effect.why }, 'a message of the control plane is left out');
    }
  }

  #subscribe(dialect: Dialect): void {
    const { identity, answers } = this.#options;
    this.#socket?.send(subscribeFrame(dialect, subscription(identity(), this.#offers, answers)));
  }

  async #dial(number: number, offersProtocols: boolean): Promise<void> {
    const { WebSocket: Socket } = await import('ws');
    if (this.#link.socket !== number || this.#link.state !== 'dialling') return;
    const { address } = this.#options;
    const url = new URL(address.url);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    url.search = '';
    const { ca, rejectUnauthorized } = tlsOptionsOf(address);
    const socket = new Socket(url, offersProtocols ? [...PROTOCOLS] : [], {
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      rejectUnauthorized,
      ...(ca && { ca: [...ca] }),
    });
    this.#socket = socket;
    let isOpen = false;
    let problem = '';
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      this.#handle({ type: 'failed', socket: number, why: '', status: statusCode });
      socket.terminate();
    });
    socket.on('error', (error) => {
      problem = error.message;
      if (isOpen) return;
      const hasNoProtocol = /subprotocol/i.test(problem);
      this.#handle({ type: 'failed', socket: number, why: problem, hasNoProtocol });
    });
    socket.on('open', () => {
      isOpen = true;
      this.#handle({ type: 'opened', socket: number, dialect: dialectOf(socket.protocol) });
    });
    socket.on('message', (data, isBinary) => {
      // Of text; the default type of binary data of `ws` is a Buffer.
      const frame = isBinary
        ? ({ type: 'unreadable', why: 'a message is binary' } as const)
        : readFrame((data as Buffer).toString());
      this.#handle({ type: 'received', socket: number, frame: this.#withoutKey(frame) });
    });
    for (const sign of ['ping', 'pong'] as const) {
      socket.on(sign, () => this.#handle({ type: 'received', socket: number }));
    }
    socket.on('close', (code, reason) => {
      const why = reason.length > 0 ? this.#concealed(reason.toString()) : problem;
      this.#handle({ type: 'closed', socket: number, code, reason: why });
    });
  }

  /** Servers repeat what they do not understand, and what they say is logged. */
  #withoutKey(frame: Frame): Frame {
    if (frame.type !== 'errors') return frame;
    return { ...frame, messages: frame.messages.map((message) => this.#concealed(message)) };
  }

  #concealed(text: string): string {
    return concealed(text, [this.#options.identity().accessKey]);
  }

  /** A server that does not answer to the closing is not waited for. */
  #close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000);
    this.#options.clock.setTimer(1_000, () => socket?.terminate(), { unref: true });
  }
}

const ACTION = 'action { k8sManifest externalData requestID requestType username namespace }';

/**
 * The subscription to the actions for an infrastructure. Arguments of our own go to servers that offer what they are about.
 * @param answers types of requests of our own that the agent answers
 */
function subscription(request: InfraIdentity, offers: Offers, answers: readonly string[]): Operation {
  // For servers that keep each action until the agent reports what became of it.
  const reporting = offers.actionResults ? ', reportsResults: true' : '';
  const answering = offers.ownRequests ? `, answers: ${JSON.stringify(answers)}` : '';
  return {
    query: `subscription InfraConnect($request: InfraIdentity!) {
  infraConnect(request: $request${reporting}${answering}) {
    ${ACTION}
  }
}`,
    variables: { request },
  };
}
