import type { Answer } from '../../../control-plane-client/answer.ts';
import type { ControlPlaneClient } from '../../../control-plane-client/client.ts';
import type { InfraIdentity } from '../../../control-plane-client/settings.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { Action } from './action.ts';
import { toOutcome } from './answer-outcome.ts';
import { type LogRequest, readLogRequest, type WantedLog } from './log-request.ts';
import { type Outcome, refused } from './outcome.ts';
import { Tail } from './tail.ts';

/** What sending logs needs. */
export interface LogContext {
  readonly client: Pick<KubeClient, 'logLines'>;
  readonly server: Pick<ControlPlaneClient, 'send'>;
  readonly identity: () => InfraIdentity;
  /** Why logs of a namespace are not sent; undefined where they are. */
  readonly refusalOf: (namespace: string) => string | undefined;
  /** Of one log, where the server takes it in one piece: its end. */
  readonly limitBytes: number;
}

const DOCUMENT = `mutation PodLog($request: PodLog!) { podLog(request: $request) }`;
const NO_MAIN_LOG = 'Failed to get argo pod logs';
/** Of a log that is sent in pieces. */
const PIECE_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 64 * 1024;
/** The server says so when whoever asked has gone. */
const CANCELLED = 'LOG REQUEST CANCELLED';

/** Sends logs of a pod, and of the pods of its chaos: in pieces where the server takes them, else the end of each. */
export async function sendLogs(action: Action, context: LogContext, signal: AbortSignal): Promise<Outcome> {
  const request = readLogRequest(action.externalData);
  if (typeof request === 'string') return refused(request);
  for (const { namespace } of request.logs) {
    const why = context.refusalOf(namespace);
    if (why !== undefined) return refused(why);
  }
  const send = (log: object): Promise<Answer> =>
    context.server.send(podLog(action, request, log, context.identity()), signal);
  return request.inPieces
    ? await sendPieces(request, context, send, signal)
    : await sendWhole(request, context, send, signal);
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
      for await (const line of linesOf(log, request, context, signal)) tail.push(line);
    } catch {
      signal.throwIfAborted();
      // Pods of chaos are gone after it: those that cannot be read are left out, as in upstream.
      continue;
    }
    if (log.part === 'main') mainLogs = tail.text();
    else chaosLogs[log.pod] = tail.text();
  }
  const hasChaos = Object.keys(chaosLogs).length > 0;
  return toOutcome(await send({ mainLogs, chaosLogs: hasChaos ? chaosLogs : undefined }), 'logs sent');
}

/** One piece in memory at a time: the next is read when the server has taken the one before. */
async function sendPieces(
  request: LogRequest,
  context: LogContext,
  send: Send,
  signal: AbortSignal,
): Promise<Outcome> {
  let piece = 0;
  const sendPiece = async (
    log: WantedLog | undefined,
    text: string,
    isLast: boolean,
  ): Promise<Outcome | undefined> => {
    const content = log?.part === 'chaos' ? { chaosLogs: { [log.pod]: text } } : {};
    const mainLogs = log?.part === 'chaos' ? '' : text;
    const answer = await send({ mainLogs, ...content, piece: piece++, isLast });
    if (answer.type !== 'delivered') return toOutcome(answer, '');
    return answer.data.podLog === CANCELLED ? refused('the request was cancelled') : undefined;
  };
  for (const log of request.logs) {
    const failure = await sendOne(log, request, context, sendPiece, signal);
    if (failure !== undefined) return failure;
  }
  return (await sendPiece(undefined, '', true)) ?? { isDone: true, message: `log sent in ${piece} pieces` };
}

async function sendOne(
  log: WantedLog,
  request: LogRequest,
  context: LogContext,
  sendPiece: (log: WantedLog, text: string, isLast: boolean) => Promise<Outcome | undefined>,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  let lines: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<Outcome | undefined> => {
    if (lines.length === 0) return undefined;
    const text = `${lines.join('\n')}\n`;
    lines = [];
    bytes = 0;
    return sendPiece(log, text, false);
  };
  try {
    for await (const line of linesOf(log, request, context, signal)) {
      lines.push(line);
      bytes += line.length + 1;
      // Who follows wants to see each line as it comes.
      const failure = bytes >= PIECE_BYTES || request.follow ? await flush() : undefined;
      if (failure !== undefined) return failure;
    }
  } catch {
    signal.throwIfAborted();
    if (log.part === 'main' && lines.length === 0) lines.push(NO_MAIN_LOG);
  }
  return flush();
}

function linesOf(
  { pod, namespace, container }: WantedLog,
  { tailLines, follow }: LogRequest,
  { client }: LogContext,
  signal: AbortSignal,
): AsyncIterable<string> {
  const options = { namespace, signal, follow, maxLineBytes: MAX_LINE_BYTES };
  return client.logLines(pod, {
    ...options,
    ...(container !== undefined && { container }),
    ...(tailLines !== undefined && { tailLines }),
  });
}
