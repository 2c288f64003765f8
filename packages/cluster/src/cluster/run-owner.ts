/** Whose a temporary folder is: written into it before anything else, so that a later start knows when nothing uses it any more. */
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { hasOwnerEnded, thisOwner } from '../node/index.ts';

/** The file in the folder. */
export const OWNER_FILE = 'owner';

/** What this process writes. */
export function ownerLine(): string {
  const { namespace, pid, startTicks } = thisOwner();
  return `${bootId()} ${namespace} ${pid} ${startTicks}\n`;
}

/**
 * Whether the process that wrote such a line has ended. Where that cannot be known it has not: a folder may be shared with containers and other
 * machines, whose processes are not seen here.
 */
export function hasEnded(line: string): boolean {
  const [, boot, namespace = '', pid, startTicks = ''] =
    /^([\da-f-]{36}) (\d+) (\d+) (\d+)\n$/.exec(line) ?? [];
  if (boot === undefined || boot !== bootId()) return false;
  return hasOwnerEnded({ namespace, pid: Number(pid), startTicks });
}

/** Identifies the running kernel; `-` where it does not say. */
function bootId(): string {
  return readOrEmpty('/proc/sys/kernel/random/boot_id').trim() || '-';
}
