import { readdirSync } from 'node:fs';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { ContainerRuntimeError } from '../injection/errors.ts';

/** The processes of a node at about one time. A file of one that has ended meanwhile, or is not ours to read, is empty. */
export interface ProcessSnapshot {
  /** A file of /proc/<pid>, read once. */
  read(pid: number, file: 'cgroup' | 'environ' | 'stat'): string;
  /** The processes whose file is as wanted. */
  pidsWhere(file: 'cgroup' | 'environ', isWanted: (text: string) => boolean): readonly number[];
}

const pending = new Map<string, Promise<ProcessSnapshot>>();

/**
 * Looks at the process table. Callers that come before the look is taken share it, and none gets an older one: a helper with a
 * hundred targets on its node reads the table once or twice, and not a hundred times.
 *
 * @throws ContainerRuntimeError on a machine without such a table
 */
export function takeSnapshot(procDir: string): Promise<ProcessSnapshot> {
  const shared = pending.get(procDir);
  if (shared !== undefined) return shared;
  const next = new Promise<ProcessSnapshot>((resolve, reject) => {
    setImmediate(() => {
      pending.delete(procDir);
      try {
        resolve(readTable(procDir));
      } catch (error) {
        reject(error);
      }
    });
  });
  pending.set(procDir, next);
  return next;
}

/** Synchronous on purpose: files of /proc come out of memory, and a thread for each would cost more than all of them. */
function readTable(procDir: string): ProcessSnapshot {
  const pids = listProcesses(procDir);
  const texts = new Map<string, string>();
  const read = (pid: number, file: string): string => {
    const path = `${procDir}/${pid}/${file}`;
    const text = texts.get(path) ?? readOrEmpty(path);
    texts.set(path, text);
    return text;
  };
  // Fields that decide are read at once; the rest on demand.
  for (const pid of pids) read(pid, 'cgroup');
  return { read, pidsWhere: (file, isWanted) => pids.filter((pid) => isWanted(read(pid, file))) };
}

function listProcesses(procDir: string): number[] {
  try {
    return readdirSync(procDir).flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch (cause) {
    throw new ContainerRuntimeError(
      `cannot read ${procDir}: containers are found by Linux' process table, which this machine does not have`,
      { cause },
    );
  }
}
