import { runCommand } from '../../experiment/node/index.ts';

/** Kinds of queues the network faults may need. */
export type QueueKind = 'netem' | 'tbf' | 'prio' | 'htb' | 'blackhole';

/** Arguments that are enough to make one. */
const TRIALS: Readonly<Record<QueueKind, readonly string[]>> = {
  netem: ['netem', 'delay', '1ms'],
  tbf: ['tbf', 'rate', '1mbit', 'burst', '32kb', 'limit', '32kb'],
  prio: ['prio'],
  htb: ['htb'],
  blackhole: ['blackhole'],
};

/** Finds out what this node's kernel can do. Asked again, an answer is remembered: a kernel does not forget. */
export class KernelQueues {
  readonly #answers = new Map<QueueKind, Promise<boolean>>();

  /**
   * Whether the kernel can make such a queue, found out by making one in a network namespace that nobody uses and that is gone
   * afterwards. The kernel loads the module by itself where there is one.
   *
   * @throws CommandError when it cannot be found out
   */
  has(kind: QueueKind, signal?: AbortSignal): Promise<boolean> {
    const known = this.#answers.get(kind);
    if (known !== undefined) return known;
    const answer = tryQueue(kind, signal);
    this.#answers.set(kind, answer);
    answer.catch(() => this.#answers.delete(kind));
    return answer;
  }
}

async function tryQueue(kind: QueueKind, signal: AbortSignal | undefined): Promise<boolean> {
  const { exitCode } = await runCommand(
    ['unshare', '--net', 'tc', 'qdisc', 'add', 'dev', 'lo', 'root', ...TRIALS[kind]],
    // 1: the command is wrong or not known; 2: the kernel said no.
    { accept: [0, 1, 2], ...(signal === undefined ? {} : { signal }) },
  );
  return exitCode === 0;
}
