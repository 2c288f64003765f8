import { parseObject, textOf } from '@turnsole/kube/text/json';

/** One log of a request. */
export interface WantedLog {
  readonly pod: string;
  readonly namespace: string;
  /** Absent: the default one of the pod. */
  readonly container?: string;
  readonly part: 'main' | 'chaos';
}

/** What a server wants to see of a pod. */
export interface LogRequest {
  readonly runID: string;
  readonly podName: string;
  readonly podType: string;
  /** The logs that can be sent: a run without a Workflow has no main log. */
  readonly logs: readonly WantedLog[];
  /** Why `logs` is empty. */
  readonly problem?: string;
  /** Whether it takes a log in pieces. A field of our own. */
  readonly inPieces: boolean;
  /** Whether it also wants what is written from now on; in pieces only. A field of our own. */
  readonly follow: boolean;
  /** A field of our own. */
  readonly tailLines: number | undefined;
  /** Whether lines begin with their times. A field of our own. */
  readonly timestamps: boolean;
}

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Reads `externalData` of a request for logs. Problems are part of the result, because the server waits for an answer. Pure. */
export function readLogRequest(externalData: string): LogRequest {
  const data = parseObject(externalData);
  const text = (name: string): string => textOf(data?.[name]);
  // A field of our own: any container of any pod, and not only what the step of a workflow has.
  const container = typeof data?.container === 'string' ? text('container') : MAIN;
  const logs = wantedLogs(text, container);
  const { pieces, follow, tailLines: tail, timestamps } = data ?? {};
  return {
    runID: text('experimentRunID'),
    podName: text('podName'),
    podType: text('podType'),
    logs,
    ...(logs.length === 0 && { problem: problemOf(data, text) }),
    inPieces: pieces === true,
    follow: follow === true && pieces === true,
    tailLines: typeof tail === 'number' && Number.isSafeInteger(tail) && tail >= 0 ? tail : undefined,
    timestamps: timestamps === true,
  };
}

/** The container of a step's pod that does the work. */
const MAIN = 'main';

/** @param container empty for the default one of the pod */
function wantedLogs(text: (name: string) => string, container: string): readonly WantedLog[] {
  const [pod, place] = [text('podName'), text('podNamespace')];
  const main: WantedLog = { pod, namespace: place, part: 'main', ...(container !== '' && { container }) };
  const namespace = text('chaosNamespace');
  const ofChaos = text('podType').toLowerCase() === 'chaosengine' ? [text('expPod'), text('runnerPod')] : [];
  const chaos = ofChaos.map((pod): WantedLog => ({ pod, namespace, part: 'chaos' }));
  return [main, ...chaos].filter((log) => NAME.test(log.pod) && NAME.test(log.namespace));
}

function problemOf(data: object | undefined, text: (name: string) => string): string {
  if (data === undefined) return 'externalData is no JSON object';
  const [pod, namespace] = [text('podName'), text('podNamespace')].map((name) => JSON.stringify(name));
  return `podName ${pod} in podNamespace ${namespace} is no pod`;
}
