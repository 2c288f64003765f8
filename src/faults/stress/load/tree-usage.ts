import { childrenOf, readOrEmpty } from '@turnsole/kube/base/machine';

/** What processes use, or have used so far. */
export interface Usage {
  /** CPU time. */
  readonly cpuSeconds: number;
  /** Memory that belongs to them alone: neither files nor programs. */
  readonly heldBytes: number;
  /** Bytes handed to write(2), whether they have reached the disk or not. */
  readonly writtenBytes: number;
}

export const NO_USAGE: Usage = { cpuSeconds: 0, heldBytes: 0, writtenBytes: 0 };

/** Clock ticks of a second in /proc; the kernel's interface has 100 on every machine that Linux runs on as a server. */
const TICKS_PER_SECOND = 100;

/** Usage of a process and its descendants, with the CPU time of children that they have waited for; nothing of those that have ended. */
export function treeUsage(pid: number): Usage {
  const own: Usage = {
    cpuSeconds: cpuSecondsIn(readOrEmpty(`/proc/${pid}/stat`)),
    heldBytes: heldBytesIn(readOrEmpty(`/proc/${pid}/status`)),
    writtenBytes: Number(/^wchar: (\d+)$/m.exec(readOrEmpty(`/proc/${pid}/io`))?.[1] ?? 0),
  };
  return childrenOf(pid).map(treeUsage).reduce(plus, own);
}

/** Sums up. Pure. */
export function plus(a: Usage, b: Usage): Usage {
  return {
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    heldBytes: a.heldBytes + b.heldBytes,
    writtenBytes: a.writtenBytes + b.writtenBytes,
  };
}

/** What came on top of an earlier usage. Pure. */
export function beyond(now: Usage, before: Usage): Usage {
  return {
    cpuSeconds: Math.max(0, now.cpuSeconds - before.cpuSeconds),
    heldBytes: Math.max(0, now.heldBytes - before.heldBytes),
    writtenBytes: Math.max(0, now.writtenBytes - before.writtenBytes),
  };
}

/** Fields 14 to 17 of proc_pid_stat(5), of which the second is a name that may have anything in it. Pure. */
function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND;
}

/** RssAnon and RssShmem of proc_pid_status(5). Pure. */
function heldBytesIn(status: string): number {
  return [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].reduce(
    (sum, [, kibibytes]) => sum + Number(kibibytes) * 1024,
    0,
  );
}
