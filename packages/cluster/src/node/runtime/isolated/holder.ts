import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sendSignal } from '../orphaned-processes.ts';
import type { GroupRegistry } from '../reaper.ts';
import { RuntimeError } from '../types.ts';
import { type HolderPlan, holderScript, READY } from './scripts.ts';

/** Which namespaces a pod has of its own, besides that of mounts. */
interface HolderNamespaces {
  readonly network: boolean;
  readonly ipc: boolean;
  /** Whether all containers see one process namespace, which the holder is the first process of. */
  readonly processes: boolean;
}

/** The namespaces as options of unshare and nsenter, but for that of processes; pure. */
export function namespaceOptions({
  network,
  ipc,
}: Pick<HolderNamespaces, 'network' | 'ipc'>): readonly string[] {
  return ['-m', ...(network ? ['-n', '-u'] : []), ...(ipc ? ['-i'] : [])];
}

/** Variable by which the holder of a pod is found from outside, also while none of the pod's containers runs. */
const POD_UID_VARIABLE = 'TURNSOLE_POD_UID';

/** The process that keeps a pod's namespaces while no container is in them. */
export class Holder {
  /** To be entered by its namespaces. */
  readonly pid: number;
  readonly #group: number;
  readonly #groups: GroupRegistry;
  readonly #exited: Promise<unknown>;

  private constructor(
    child: ChildProcessWithoutNullStreams,
    group: number,
    pid: number,
    groups: GroupRegistry,
  ) {
    this.pid = pid;
    this.#group = group;
    this.#groups = groups;
    this.#exited =
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  }

  /** Starts it; resolves when its namespaces are set up. @throws RuntimeError with what it said */
  static async start(
    plan: Omit<HolderPlan, 'first'>,
    namespaces: HolderNamespaces,
    groups: GroupRegistry,
    podUid = '',
  ): Promise<Holder> {
    const { processes } = namespaces;
    const args = [...namespaceOptions(namespaces), ...(processes ? ['-p', '--fork', '--kill-child'] : [])];
    const child = spawn(
      'unshare',
      [...args, '/bin/sh', '-c', holderScript({ ...plan, first: processes }), 'turnsole-pod'],
      {
        detached: true,
        stdio: 'pipe',
        cwd: '/',
        env: { PATH: process.env.PATH ?? '', [POD_UID_VARIABLE]: podUid },
      },
    );
    child.stdin.on('error', () => {}); // its exit says why
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const group = child.pid;
    if (group === undefined) {
      const [cause] = await once(child, 'error');
      throw new RuntimeError('cannot make the namespaces of a pod: unshare cannot be run', { cause });
    }
    groups.add(group);
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== READY) continue;
      const pid = processes ? firstChild(group) : group;
      return new Holder(child, group, pid, groups);
    }
    groups.delete(group);
    throw new RuntimeError(`cannot make the namespaces of a pod: ${errors.trim() || 'unshare ended'}`);
  }

  /** Ends it; its namespaces go when nothing else is in them. Resolves when it has ended. */
  async stop(): Promise<void> {
    sendSignal(-this.#group, 'SIGKILL');
    await this.#exited;
    this.#groups.delete(this.#group);
  }
}

function firstChild(pid: number): number {
  const text = process.getBuiltinModule('node:fs').readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const child = Number(text.trim().split(' ')[0]);
  if (!Number.isInteger(child) || child <= 0) throw new RuntimeError(`process ${pid} has no child`);
  return child;
}
