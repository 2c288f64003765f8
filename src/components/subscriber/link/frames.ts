import { isObject, parseObject } from '@turnsole/kube/text/json';
import { errorMessages } from '../../../agent-link/answer.ts';
import type { Operation } from '../../../agent-link/client.ts';
import { type Action, readAction } from '../commands/action.ts';

/** Sub-protocols of GraphQL over a WebSocket, the present one first. */
export const PROTOCOLS = ['graphql-transport-ws', 'graphql-ws'] as const;

/** `present` is graphql-transport-ws; `legacy` is subscriptions-transport-ws, also where none is agreed upon. */
export type Dialect = 'present' | 'legacy';

/** The dialect of the sub-protocol that a server has chosen; empty where it has chosen none. */
export function dialectOf(protocol: string): Dialect {
  return protocol === PROTOCOLS[0] ? 'present' : 'legacy';
}

/** What a server may offer beyond ChaosCenter's wire, by fields of our own that others leave out. */
export interface Offers {
  /** It wants the outcome of each action, by `infraActionResult`. */
  readonly actionResults: boolean;
  /** It has types of requests that ChaosCenter lacks, and sends those that the agent names as it subscribes: `infraConnect(answers:)`. */
  readonly ownRequests: boolean;
  /** It takes what the time axis of a run shows, by `runRecord`. */
  readonly runRecords: boolean;
  /** It also takes the ends of the logs of a run's pods that way. */
  readonly runLogs: boolean;
}

/** The offers of ChaosCenter's own server: none. */
export const NO_OFFERS: Offers = {
  actionResults: false,
  ownRequests: false,
  runRecords: false,
  runLogs: false,
};

/** A message of the server. */
export type Frame =
  | { readonly type: 'ack'; readonly offers: Offers }
  | { readonly type: 'alive' }
  | { readonly type: 'ping' }
  | { readonly type: 'action'; readonly action: Action }
  | { readonly type: 'errors'; readonly messages: readonly string[] }
  | { readonly type: 'complete' }
  | { readonly type: 'unreadable'; readonly why: string };

const SUBSCRIPTION_ID = '1';

/** The first message. */
export const INIT_FRAME = '{"type":"connection_init"}';
/** The answer to `ping` of the present dialect. */
export const PONG_FRAME = '{"type":"pong"}';

/** The message that subscribes. */
export function subscribeFrame(dialect: Dialect, operation: Operation): string {
  const type = dialect === 'present' ? 'subscribe' : 'start';
  return JSON.stringify({ id: SUBSCRIPTION_ID, type, payload: operation });
}

/** Reads a message of either dialect: no word of one means something else in the other. Pure. */
export function readFrame(text: string): Frame {
  const message = parseObject(text);
  if (message === undefined) return { type: 'unreadable', why: 'a message is no JSON object' };
  switch (message.type) {
    case 'connection_ack':
      return { type: 'ack', offers: readOffers(message.payload) };
    case 'ka':
    case 'pong':
      return { type: 'alive' };
    case 'ping':
      return { type: 'ping' };
    case 'data':
    case 'next':
      return readData(message.payload);
    case 'connection_error':
    case 'error':
      return { type: 'errors', messages: readErrors(message.payload) };
    case 'complete':
      return { type: 'complete' };
    default:
      return { type: 'unreadable', why: `a message has the unknown type ${JSON.stringify(message.type)}` };
  }
}

function readOffers(payload: unknown): Offers {
  const own = isObject(payload) ? payload.turnsole : undefined;
  if (!isObject(own)) return NO_OFFERS;
  const { actionResults, ownRequests, runRecords, runLogs } = own;
  return {
    actionResults: actionResults === true,
    ownRequests: ownRequests === true,
    runRecords: runRecords === true,
    runLogs: runLogs === true,
  };
}

/** Errors as a list, as one object, or as anything else. */
function readErrors(payload: unknown): readonly string[] {
  const messages = errorMessages(Array.isArray(payload) ? payload : [payload]);
  return messages.length > 0 ? messages : ['an error without a message'];
}

function readData(payload: unknown): Frame {
  if (!isObject(payload)) return { type: 'unreadable', why: 'a data message has no payload' };
  const messages = errorMessages(payload.errors);
  if (messages.length > 0) return { type: 'errors', messages };
  const connect = isObject(payload.data) ? payload.data.infraConnect : undefined;
  const action = isObject(connect) ? readAction(connect.action) : undefined;
  if (action === undefined) return { type: 'unreadable', why: 'a data message holds no action' };
  return { type: 'action', action };
}
