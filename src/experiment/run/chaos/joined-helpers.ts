import type { InjectionTarget, LedgerEntry } from '../../../api/index.ts';
import { followHelper, LostHelperError } from '../helper/follow-helper.ts';
import { type HelperShare, helperBatches } from '../helper/helper-pod.ts';
import type { Run } from '../lifecycle/run.ts';
import { WorkloadFollower } from './follow-workload.ts';
import { type HelperStep, isOfShare, noteLost, recoverLost, wasInForce, withRoom } from './helper-share.ts';
import { recoverOwn } from './recover-own.ts';
import { startHelper } from './start-helper.ts';

/** What helpers that join are started with. */
interface JoinedOptions {
  /** Ends them with all others. */
  readonly signal: AbortSignal;
  /** Ends listening to their logs. */
  readonly listening: AbortSignal;
  /** Gets the name of each that is started. */
  readonly onName: (name: string) => void;
}

/** Helpers that joined end at the same time as the others; on a busy node a little later. */
const END_LIMIT_MS = 5_000;

/**
 * The helpers that join while a fault is held, for pods that take the places of hit ones: one per node and look. One that cannot bring
 * its fault into force is noted and nothing else; one that is lost later counts as any other helper that is lost.
 */
export class JoinedHelpers {
  readonly #run: Run;
  readonly #step: HelperStep;
  readonly #options: JoinedOptions;
  readonly #over = new AbortController();
  readonly #cut = new AbortController();
  readonly #targets = new Set<InjectionTarget>();
  readonly #lost: unknown[] = [];
  #endsAtMs = 0;
  #following: Promise<void> | undefined;

  constructor(run: Run, step: HelperStep, options: JoinedOptions) {
    this.#run = run;
    this.#step = step;
    this.#options = options;
  }

  /** A share is in force until then, by the monotonic clock: from now on its pods are followed. */
  begin(endsAtMs: number): void {
    this.#endsAtMs = Math.max(this.#endsAtMs, endsAtMs);
    if (this.#run.fault.shape !== 'sustained' || this.#step.targets.every(({ kind }) => kind !== 'pod'))
      return;
    const { targets, later, step } = this.#step;
    this.#following ??= new WorkloadFollower(this.#run, {
      targets,
      later,
      step,
      endsAtMs: () => this.#endsAtMs,
      signal: AbortSignal.any([this.#options.signal, this.#over.signal]),
      hit: (next, round) => this.#hit(next, round),
    }).follow();
  }

  /** Their targets, but for those that could not be hit. */
  get targets(): readonly InjectionTarget[] {
    return [...this.#targets];
  }

  /** Whether some had to be cut off, so that their pods are to be stopped. */
  get wasCut(): boolean {
    return this.#cut.signal.aborted;
  }

  /** The fault is over: resolves when they have ended, with why those ended that were lost. */
  async end(): Promise<readonly unknown[]> {
    this.#over.abort();
    const { clock } = this.#run;
    const ended = new AbortController();
    const late = clock.sleep(END_LIMIT_MS, ended.signal).then(
      () => this.#cut.abort(),
      () => {},
    );
    await Promise.race([this.#following, late]);
    await this.#following;
    ended.abort();
    return this.#lost;
  }

  async #hit(targets: readonly InjectionTarget[], round: number): Promise<void> {
    const [shares = []] = helperBatches(targets, 'parallel');
    await Promise.all(shares.map((share) => this.#join(share, round)));
  }

  async #join(share: HelperShare, round: number): Promise<void> {
    const run = this.#run;
    const signal = AbortSignal.any([this.#options.signal, this.#cut.signal]);
    for (const target of share.targets) this.#targets.add(target);
    try {
      await withRoom(run, share, async (unlimited) => {
        const leftMs = this.#endsAtMs - run.clock.monotonic();
        if (leftMs <= 0) return;
        const joins = { endsAtMs: run.clock.now() + leftMs, leftMs };
        const name = await startHelper(run, share, { unlimited, round, joins });
        this.#options.onName(name);
        const { listening } = this.#options;
        await followHelper(run, name, {
          signal,
          listening,
          holdMs: leftMs,
          onInForce: ignore,
          onOver: ignore,
        });
      });
    } catch (error) {
      noteLost(run, share, error);
      // One whose node is silent is lost, and not only late.
      if (this.#options.signal.aborted || (signal.aborted && !(error instanceof LostHelperError))) return;
      if (await wasInForce(run, share)) {
        await recoverLost(run, share, error).catch((lost: unknown) => this.#lost.push(lost));
        return;
      }
      for (const target of share.targets) this.#targets.delete(target);
      const isMeant = ({ target }: LedgerEntry): boolean => isOfShare(share, target);
      await recoverOwn(run, isMeant).catch((left: unknown) => this.#lost.push(left));
      throw error;
    }
  }
}

function ignore(): void {}
