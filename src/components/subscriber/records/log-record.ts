import { deflateRawSync } from 'node:zlib';
import type { KeptLog } from '@turnsole/kube/runtime/log-tails';

/** The end of a pod's log, as a server of ours takes it beside the records of objects: JSON, deflated. */
interface LogRecord extends KeptLog {
  readonly kind: 'PodLog';
  /** When its pod was made, RFC 3339: logs are listed in this order. */
  readonly createdAt: string;
}

/** How the objects of logs begin in the spool; those of engines and results begin with their plural names. */
const PREFIX = 'podlogs/';

/** The object under which a log waits in the spool. Pure. */
export function logObject({ namespace, name }: Pick<KeptLog, 'namespace' | 'name'>): string {
  return `${PREFIX}${namespace}/${name}`;
}

/** Whether an object of the spool is a log: once it is dropped it cannot be read again. Pure. */
export function isLogObject(object: string): boolean {
  return object.startsWith(PREFIX);
}

/** The bytes of a log's record. Pure. */
export function packLog(log: KeptLog, createdAt: string): Buffer {
  const record: LogRecord = { kind: 'PodLog', ...log, createdAt };
  return deflateRawSync(JSON.stringify(record), { level: 1 });
}
