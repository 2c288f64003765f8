import type { InjectionTarget } from '../../../api/index.ts';
import type { ApiHold, Injection } from '../../injection/fault.ts';
import type { Injector } from '../../injection/injector.ts';
import { faultContext, type Run } from '../lifecycle/run.ts';
import { WorkloadFollower } from './follow-workload.ts';

/** A step of a fault that this process holds through the API. */
interface ApiStep {
  readonly injector: Injector;
  readonly hold: ApiHold['hold'];
  readonly step: number;
  /** What it has hit. */
  readonly chosen: readonly InjectionTarget[];
  /** The targets of all steps, in their order. */
  readonly all: readonly InjectionTarget[];
  /** When the step is over, by the monotonic clock. */
  readonly endsAtMs: number;
  readonly signal: AbortSignal;
}

/**
 * Follows the pods that this process holds a fault on through the API, and injects into those that take their places. Resolves when its
 * signal has ended it, with what was injected; all of it is reverted with the step.
 */
export async function followByApi(run: Run, input: ApiStep): Promise<readonly Injection[]> {
  const { injector, hold, step, chosen, all, endsAtMs, signal } = input;
  if (run.fault.targets !== 'pods' && run.fault.targets !== 'containers') return [];
  const { clock, ledger, settings } = run;
  const context = { ...faultContext(run), signal };
  const injected: Injection[] = [];
  const holding: Promise<void>[] = [];
  const hit = async (targets: readonly InjectionTarget[], round: number): Promise<void> => {
    const injections = await injector.plan(targets, round);
    try {
      await injector.inject(injections, signal);
    } catch (error) {
      const ids = new Set(injections.map(({ id }) => id));
      // Half of it may be in force; and another try has entries of its own.
      await injector.revert(
        ledger.open.filter(({ id }) => ids.has(id)),
        new AbortController().signal,
      );
      throw error;
    }
    injected.push(...injections);
    // Its failure ends the keeping of these alone, and the signal ends it in any case.
    if (hold !== undefined)
      holding.push(hold(injections, context, endsAtMs - clock.monotonic()).catch(() => {}));
  };
  const later = settings.sequence === 'serial' ? all.slice(step + 1) : [];
  const follower = new WorkloadFollower(run, {
    targets: chosen,
    step,
    later,
    endsAtMs: () => endsAtMs,
    signal,
    hit,
  });
  await follower.follow();
  await Promise.all(holding);
  return injected;
}
