import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { ASSIGNMENT_VARIABLE } from '../../../src/experiment/helper/assignment.ts';

/** A process as /proc shows it. Linux only. */
export interface SeenProcess {
  readonly pid: number;
  readonly words: readonly string[];
  /** Its environment; empty when it may not be read. */
  variable(name: string): string | undefined;
  /** Text of /proc/<pid>/cgroup. */
  readonly cgroup: string;
  /** `net:[4026532281]`. */
  readonly network: string;
}

/** A process of chaos. */
export interface ChaosProcess {
  readonly pid: number;
  readonly kind: 'runner' | 'experiment' | 'helper';
  readonly engine: string;
  /** Nodes of a helper's targets. */
  readonly nodes: readonly string[];
}

/** All processes; those that end meanwhile are left out. */
export function allProcesses(): SeenProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return [
        {
          pid,
          words,
          variable: (key: string) => env.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1),
          cgroup: readFileSync(`/proc/${pid}/cgroup`, 'utf8'),
          network: readlinkSync(`/proc/${pid}/ns/net`),
        },
      ];
    } catch {
      return [];
    }
  });
}

const RECENT_MS = 50;
let recent: { readonly atMs: number; readonly processes: readonly SeenProcess[] } | undefined;

/** As {@link allProcesses}, now or a moment ago: looking at all of a machine's processes takes milliseconds. */
export function recentProcesses(): readonly SeenProcess[] {
  const now = performance.now();
  if (recent === undefined || now - recent.atMs > RECENT_MS)
    recent = { atMs: now, processes: allProcesses() };
  return recent.processes;
}

/** The children of a process. */
export function childrenOf(pid: number | undefined): SeenProcess[] {
  const stat = (child: number): string => readFileSync(`/proc/${child}/stat`, 'utf8');
  return allProcesses().filter((child) => {
    try {
      // After the name, which may hold anything: state, parent (proc(5)).
      return (
        Number(
          stat(child.pid)
            .slice(stat(child.pid).lastIndexOf(')') + 2)
            .split(' ')[1],
        ) === pid
      );
    } catch {
      return false;
    }
  });
}

const KINDS = ['runner', 'experiment', 'helper'] as const;

/**
 * The processes of the engines of one cluster: those whose environment has this mark. Of a container with namespaces of its own only
 * the program itself, and not what started it.
 */
export function chaosProcesses(
  cluster: string,
  processes: readonly SeenProcess[] = allProcesses(),
): ChaosProcess[] {
  return processes.flatMap(({ pid, words, variable }) => {
    const kind = KINDS.find((one) => words.includes(one));
    const engine = variable('CHAOSENGINE');
    if (kind === undefined || engine === undefined || !engine.startsWith(`${cluster}-`)) return [];
    if (!/(^|\/)node$/.test(words[0] ?? '')) return [];
    return [{ pid, kind, engine, nodes: nodesOf(variable(ASSIGNMENT_VARIABLE)) }];
  });
}

function nodesOf(assignment: string | undefined): string[] {
  if (assignment === undefined) return [];
  // Written by an experiment of the same release.
  const { targets } = JSON.parse(assignment) as { targets: readonly { readonly node?: string }[] };
  return [...new Set(targets.flatMap(({ node }) => node ?? []))];
}
