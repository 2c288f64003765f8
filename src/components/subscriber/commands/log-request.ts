import { parseObject } from '../../../text/json.ts';

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
  readonly logs: readonly WantedLog[];
  /** Whether it takes a log in pieces. A field of our own. */
  readonly inPieces: boolean;
  /** Whether it wants what is written from now on as well; in pieces only. A field of our own. */
  readonly follow: boolean;
  /** A field of our own. */
  readonly tailLines: number | undefined;
}

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Reads `externalData` of a request for logs, or says what is wrong with it. Pure. */
export function readLogRequest(externalData: string): LogRequest | string {
  const data = parseObject(externalData);
  if (data === undefined) return 'externalData is no JSON object';
  const text = (name: string): string => {
    const value = data[name];
    return typeof value === 'string' ? value : '';
  };
  const main: WantedLog = {
    pod: text('podName'),
    namespace: text('podNamespace'),
    container: 'main',
    part: 'main',
  };
  const chaosNamespace = text('chaosNamespace');
  const hasChaos = text('podType').toLowerCase() === 'chaosengine' && chaosNamespace !== '';
  const chaos = hasChaos ? [text('expPod'), text('runnerPod')].filter((pod) => pod !== '') : [];
  const logs = [main, ...chaos.map((pod): WantedLog => ({ pod, namespace: chaosNamespace, part: 'chaos' }))];
  const wrong = logs.flatMap(({ pod, namespace }) => [pod, namespace]).find((name) => !NAME.test(name));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is no name of a pod or namespace`;
  const tail = data.tailLines;
  return {
    runID: text('experimentRunID'),
    podName: main.pod,
    podType: text('podType'),
    logs,
    inPieces: data.pieces === true,
    follow: data.follow === true && data.pieces === true,
    tailLines: typeof tail === 'number' && Number.isSafeInteger(tail) && tail >= 0 ? tail : undefined,
  };
}
