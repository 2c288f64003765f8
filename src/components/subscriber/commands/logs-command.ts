import { Limiter } from '@turnsole/kube/base/limiter';
import type { KubeClient } from '@turnsole/kube/client/types';
import { messageOf } from '@turnsole/kube/text/error-message';
import { Tail } from '@turnsole/kube/text/tail';
import type { Answer } from '../../../agent-link/answer.ts';
import type { ControlPlaneClient } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';
import type { Action } from './action.ts';
import { toOutcome } from './answer-outcome.ts';
import { sendTexts } from './log-pieces.ts';
import { type LogRequest, readLogRequest, type WantedLog } from './log-request.ts';
import { done, type Outcome, refused } from './outcome.ts';

/** What sending logs needs. */
export interface LogContext {
  readonly client: Pick<KubeClient, 'logTexts'>;
  readonly server: Pick<ControlPlaneClient, 'send'>;
  readonly identity: () => InfraIdentity;
  /** Why logs of a namespace are not sent; undefined where they are. */
  readonly refusalOf: (namespace: string) => string | undefined;
  /** Limit of one log, where the server takes it in one piece: its end is sent. */
  readonly limitBytes: number;
}

const DOCUMENT = `mutation PodLog($request: PodLog!) { podLog(request: $request) }`;
const NO_MAIN_LOG = 'Failed to get argo pod logs';
const MAX_LINE_BYTES = 64 * 1024;
/** Characters of a log after which the garbage of it is collected: some twenty milliseconds of work. */
const COLLECTED_AFTER = 4 * 1024 * 1024;
/** The server's answer when the user who asked has gone. */
const CANCELLED = 'LOG REQUEST CANCELLED';
/** Requests whose logs are held in memory as a whole, and such that are sent in pieces, at a time: memory is bounded by them. */
const WHOLE_AT_A_TIME = 2;
const IN_PIECES_AT_A_TIME = 8;

/**
 * The command that sends logs of a pod, and of the pods of its chaos: in pieces where the server takes them, else the end of each. When
 * a log cannot be sent, the reason is sent in its place: the user who asked looks there.
 */
export function logsCommand(context: LogContext): (action: Action, signal: AbortSignal) => Promise<Outcome> {
  const whole = new Limiter(WHOLE_AT_A_TIME);
  const inPieces = new Limiter(IN_PIECES_AT_A_TIME);
  let following = 0;
  return async (action, signal) => {
    const request = readLogRequest(action.externalData);
    const send: Send = (log) => context.server.send(podLog(action, request, log, context.identity()), signal);
    const isFull = request.follow && following >= IN_PIECES_AT_A_TIME;
    const why = isFull
      ? `${following} logs are followed already; end one of them`
      : refusalOf(request, context);
    if (why !== undefined) {
      await send({ mainLogs: why, ...(request.inPieces && { piece: 0, isLast: true }) });
      return refused(why);
    }
    if (!request.inPieces) return whole.run(() => sendWhole(request, context, send, signal));
    if (!request.follow) return inPieces.run(() => sendPieces(request, context, send, signal));
    following += 1;
    // A followed log has no known end: other requests do not wait for it.
    return sendPieces(request, context, send, signal).finally(() => {
      following -= 1;
    });
  };
}

function refusalOf({ problem, logs }: LogRequest, context: LogContext): string | undefined {
  return (
    problem ?? logs.map(({ namespace }) => context.refusalOf(namespace)).find((why) => why !== undefined)
  );
}

function podLog(
  { requestID }: Action,
  { runID, podName, podType }: LogRequest,
  log: object,
  infraID: InfraIdentity,
): Parameters<ControlPlaneClient['send']>[0] {
  const request = {
    infraID,
    requestID,
    experimentRunID: runID,
    podName,
    podType,
    log: JSON.stringify(log),
  };
  return { query: DOCUMENT, variables: { request } };
}

type Send = (log: object) => Promise<Answer>;

async function sendWhole(
  request: LogRequest,
  context: LogContext,
  send: Send,
  signal: AbortSignal,
): Promise<Outcome> {
  let mainLogs = NO_MAIN_LOG;
  const chaosLogs: Record<string, string> = {};
  for (const log of request.logs) {
    const tail = new Tail(context.limitBytes);
    try {
      for await (const text of textsOf(log, request, context, signal)) tail.push(text);
    } catch {
      signal.throwIfAborted();
      // Pods of chaos are gone after it: those that cannot be read are left out, as in upstream.
      if (tail.isEmpty) continue;
    }
    if (log.part === 'main') mainLogs = tail.text();
    else chaosLogs[log.pod] = tail.text();
  }
  const hasChaos = Object.keys(chaosLogs).length > 0;
  return toOutcome(await send({ mainLogs, chaosLogs: hasChaos ? chaosLogs : undefined }), 'logs sent');
}

/** Sends one log after the other; followed logs side by side, as each may go on without an end. */
async function sendPieces(
  request: LogRequest,
  context: LogContext,
  send: Send,
  signal: AbortSignal,
): Promise<Outcome> {
  const cancelled = new AbortController();
  let pieces = 0;
  let before: Promise<Outcome | undefined> = Promise.resolve(undefined);
  const sendNext = async (
    log: WantedLog | undefined,
    text: string,
    isLast: boolean,
    problem?: string,
  ): Promise<Outcome | undefined> => {
    const own = log?.part === 'chaos' ? { mainLogs: '', chaosLogs: { [log.pod]: text } } : { mainLogs: text };
    const content = problem === undefined ? own : { ...own, problem };
    const failure = failureOf(await send({ ...content, piece: pieces++, isLast }));
    if (failure !== undefined) cancelled.abort(new Error(failure.message));
    return failure;
  };
  const sendPiece = (...piece: Parameters<typeof sendNext>): Promise<Outcome | undefined> => {
    before = before.then((failure) => failure ?? sendNext(...piece));
    return before;
  };
  const reading = AbortSignal.any([signal, cancelled.signal]);
  const sendLog = async (log: WantedLog): Promise<Outcome | undefined> => {
    try {
      return await sendTexts(textsOf(log, request, context, reading), log, request.follow, sendPiece);
    } catch (error) {
      signal.throwIfAborted();
      if (cancelled.signal.aborted) return before;
      return log.part === 'main' ? sendPiece(log, `${NO_MAIN_LOG}\n`, false, messageOf(error)) : undefined;
    }
  };
  if (request.follow) await Promise.all(request.logs.map(sendLog));
  else for (const log of request.logs) if ((await sendLog(log)) !== undefined) break;
  return (await sendPiece(undefined, '', true)) ?? done(`log sent in ${pieces} pieces`);
}

/** Why sending more is of no use; undefined when the server has taken it. */
function failureOf(answer: Answer): Outcome | undefined {
  if (answer.type !== 'delivered') return toOutcome(answer, '');
  return answer.data.podLog === CANCELLED ? refused('the request was cancelled') : undefined;
}

async function* textsOf(
  { pod, namespace, container }: WantedLog,
  { tailLines, follow, timestamps }: LogRequest,
  { client }: LogContext,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const options = { namespace, signal, follow, mostBytes: MAX_LINE_BYTES };
  const texts = client.logTexts(pod, {
    ...options,
    ...(container !== undefined && { container }),
    ...(tailLines !== undefined && { tailLines }),
    ...(timestamps && { timestamps }),
  });
  let length = 0;
  for await (const text of texts) {
    yield text;
    length += text.length;
    if (length < COLLECTED_AFTER) continue;
    length = 0;
    collectGarbage();
  }
}

/**
 * Frees the memory of sent pieces, where Node was started with `--expose-gc`, as the command does. By itself Node counts on a processor
 * that marks beside the work: on a busy machine that comes late, and tens of megabytes of texts and socket buffers gather.
 */
function collectGarbage(): void {
  globalThis.gc?.();
}
