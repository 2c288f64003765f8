import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { childrenOf, findProgram } from '@turnsole/kube/base/machine';
import { type LocatedProcess, parseStat } from '../../../experiment/node/container-locator.ts';

const isPossible =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  findProgram('unshare') !== undefined &&
  findProgram('nsenter') !== undefined;

/** Why tests with it cannot run here, or false when they can. */
export const bareContainerMissing: string | false = isPossible
  ? false
  : 'namespaces take root on Linux, unshare and nsenter';

/**
 * A process namespace with its own /proc, whose first process, Node, reaps children of its own and no others: a container without an init.
 * With the scope (`await using`) all processes in it end.
 */
export class BareContainer implements AsyncDisposable {
  /** Its first process, as the machine sees it. */
  readonly first: LocatedProcess;
  readonly #keeper: ChildProcess;

  private constructor(keeper: ChildProcess, first: LocatedProcess) {
    this.#keeper = keeper;
    this.first = first;
  }

  static async start(): Promise<BareContainer> {
    const script = 'console.log("up"); setInterval(() => {}, 1e6)';
    const options = ['--pid', '--fork', '--mount-proc', '--kill-child=KILL'];
    const keeper = spawn('unshare', [...options, '--', process.execPath, '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(keeper.stdout, 'data');
    const [pid = 0] = childrenOf(keeper.pid ?? 0);
    const { startTicks } = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? {};
    assert.ok(startTicks !== undefined);
    return new BareContainer(keeper, { pid, startTicks });
  }

  /** Children of the first process, also those that have ended and were not reaped. @throws AssertionError when it has ended itself */
  children(): number[] {
    assert.ok(existsSync(`/proc/${this.first.pid}`), 'the first process of the container has ended');
    return childrenOf(this.first.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#keeper, 'exit');
    this.#keeper.kill('SIGKILL');
    await ended;
  }
}
