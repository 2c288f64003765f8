import { textOf } from '@turnsole/kube/text/json';
import { Tail } from '@turnsole/kube/text/tail';
import { KEPT_LOG_BYTES } from '../../../api/kept-logs.ts';

/** The end of a pod's log that is kept with its run. */
export interface StoredLog {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  /** Whole lines, each after the time at which it was printed. */
  readonly text: string;
  /** Bytes before them that are not kept. */
  readonly leftOutBytes: number;
  /** Whether its container had ended. */
  readonly isOver: boolean;
  /** When its pod was made, RFC 3339. */
  readonly createdAt: string;
}

/** How the keys of logs begin among the records of a run; those of objects begin with their kinds. */
export const LOG_PREFIX = 'PodLog/';

/** The key of a log among the records of a run. Pure. */
export function logKey({ namespace, name }: Pick<StoredLog, 'namespace' | 'name'>): string {
  return `${LOG_PREFIX}${namespace}/${name}`;
}

/** Reads the log in an agent's report, cut to its end; undefined for anything else. Pure. */
export function readLog(data: Readonly<Record<string, unknown>>): StoredLog | undefined {
  const { kind, isOver, leftOutBytes: left } = data;
  const [namespace, name, createdAt] = [textOf(data.namespace), textOf(data.name), textOf(data.createdAt)];
  if (kind !== 'PodLog' || namespace === '' || name === '' || typeof data.text !== 'string') return undefined;
  const tail = new Tail(KEPT_LOG_BYTES);
  tail.push(data.text);
  const { text, leftOutBytes } = tail.kept();
  const before = typeof left === 'number' && Number.isSafeInteger(left) && left > 0 ? left : 0;
  return {
    ...{ namespace, name, container: textOf(data.container), text, createdAt },
    leftOutBytes: before + leftOutBytes,
    isOver: isOver === true,
  };
}

/** In the order in which their pods were made. Pure. */
export function inOrder(logs: readonly StoredLog[]): StoredLog[] {
  const keyOf = ({ createdAt, namespace, name }: StoredLog): string => `${createdAt} ${namespace}/${name}`;
  return logs.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
}
