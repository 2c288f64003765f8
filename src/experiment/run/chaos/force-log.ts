import type { Clock } from '@turnsole/kube/base/clock';
import type { ForceEnd, InjectionTarget, LedgerEntry } from '../../../api/index.ts';
import type { AskedForce } from '../../../chaos/coverage.ts';
import { cut, type Span, spansOf, unionOf } from '../../../chaos/force-windows.ts';
import type { Fault } from '../../injection/fault.ts';
import { roundOf } from '../../injection/injection-id.ts';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';

/** A target that the experiment has lost sight of. */
interface Loss {
  readonly target: InjectionTarget;
  readonly atMs: number;
  readonly why: ForceEnd;
}

/** The clock of a node that differs from the experiment's by more than this is another clock. */
const SKEW_MS = 1_000;

/**
 * What the experiment knows of when its held fault was in force: what it was asked for, and which targets were lost. The windows
 * themselves stand in the ledger, written by the process that injects; that cannot see that its pod went, or that it was killed itself.
 */
export class ForceLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #losses: Loss[] = [];
  /** The step of each round that is not a step itself. */
  readonly #stepOfRound = new Map<number, number>();
  /** The last step in which each pod was hit, or is to be, by uid. */
  readonly #stepOfPod = new Map<string, number>();
  #asked: AskedForce | undefined;
  #askedMs: number | undefined;
  #beginsMs: number | undefined;
  #sinceMs: number | undefined;
  #untilMs: number | undefined;
  /** Steps of a serial run have the first ones. */
  #round = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * The targets are chosen. Of faults that are not held nothing is asked, nor of those that have workloads or nodes hold them through the
   * API: these wait in ways of their own.
   */
  ask(
    fault: Pick<Fault, 'shape' | 'targets' | 'where'>,
    settings: ExperimentSettings,
    targets: readonly InjectionTarget[],
  ): void {
    const [first] = targets;
    const isOnPods = fault.targets === 'pods' || fault.targets === 'containers';
    if (fault.shape !== 'sustained' || first === undefined || !(isOnPods || fault.where === 'node')) return;
    const pods = new Set(targets.map(({ namespace, name }) => `${namespace}/${name}`)).size;
    this.#askedMs = this.#clock.now();
    this.#round = targets.length;
    this.#asked = {
      targets: targets.length,
      kind: pods < targets.length ? 'container' : first.kind,
      durationMs: settings.durationMs,
      atOnce: settings.sequence === 'serial' ? 1 : targets.length,
    };
    for (const [index, target] of targets.entries()) {
      this.#stepOfPod.set(target.uid ?? '', settings.sequence === 'serial' ? index : 0);
    }
  }

  get asked(): AskedForce | undefined {
    return this.#asked;
  }

  /** From here on something may come into force: a pod that is deleted is lost before the answer to its deletion comes. */
  begins(): void {
    this.#beginsMs ??= this.#clock.now();
  }

  /** Something came into force, as far as the experiment knows. */
  began(): void {
    this.#sinceMs ??= this.#clock.now();
  }

  /** The fault cannot be in force any more on a target: the earliest loss of each kind counts, whichever is known first. */
  lost(target: InjectionTarget, why: ForceEnd, atMs: number = this.#clock.now()): void {
    const known = this.#losses.findIndex((loss) => loss.why === why && isLostOne(loss, target));
    const loss = { target, atMs, why };
    const other = this.#losses[known];
    if (other === undefined) this.#losses.push(loss);
    // Of a pod that went with all its containers, one container alone says less.
    else if (atMs < other.atMs && isLostOne(loss, other.target)) this.#losses[known] = loss;
  }

  /**
   * The entries with their windows as they really were: up to the earliest loss of each target. A helper that has reverted by itself was not
   * lost for good: it has said until when its fault was in force. Pure but for the time.
   */
  complete(entries: readonly LedgerEntry[]): LedgerEntry[] {
    const nowMs = this.#clock.now();
    return entries.map((entry) => {
      const inForce = aligned(entry.inForce, this.#askedMs, this.#sinceMs, nowMs);
      const hasReverted = inForce?.at(-1)?.ended === 'Reverted';
      const [loss] = this.#losses
        .filter((one) => isLostOne(one, entry.target) && !(hasReverted && one.why === 'HelperLost'))
        .sort((one, other) => one.atMs - other.atMs);
      const windows = loss === undefined ? inForce : cut(inForce, loss.atMs, loss.why);
      return windows === undefined || windows === entry.inForce ? entry : { ...entry, inForce: windows };
    });
  }

  /** Chaos is over, and what it hit has recovered, as far as it is waited for. */
  ended(): void {
    this.#untilMs ??= this.#clock.now();
  }

  /** From the first injection to the end of chaos, and when it was about to begin; undefined when nothing was injected. */
  get window(): (Span & { readonly beginsMs: number }) | undefined {
    const fromMs = this.#sinceMs;
    if (fromMs === undefined) return undefined;
    return { beginsMs: this.#beginsMs ?? fromMs, fromMs, toMs: this.#untilMs ?? this.#clock.now() };
  }

  /** A target takes the place of one of a step. */
  followed(target: InjectionTarget, step: number): void {
    this.#stepOfPod.set(target.uid ?? '', step);
  }

  /** Uids of the pods of steps before this one. */
  podsBefore(step: number): ReadonlySet<string> {
    return new Set([...this.#stepOfPod].flatMap(([uid, own]) => (own < step ? [uid] : [])));
  }

  /** The next round for the ids of what is hit on the way in a step: no two entries of a run have the same one. */
  nextRound(step: number): number {
    this.#round += 1;
    this.#stepOfRound.set(this.#round, step);
    return this.#round;
  }

  /** Entries by the step in which they were hit. */
  steps(entries: readonly LedgerEntry[]): readonly (readonly LedgerEntry[])[] {
    const stepOf = ({ id }: LedgerEntry): number => {
      const round = roundOf(id);
      return this.#stepOfRound.get(round) ?? round;
    };
    return [...Map.groupBy(entries, stepOf).values()];
  }

  /** When a fault that is held was in force on at least one target; nothing of one that happens in rounds, whose chaos has one window. */
  spans(entries: readonly LedgerEntry[]): readonly Span[] {
    if (entries.some(({ instant }) => instant === true)) return [];
    return unionOf(this.complete(entries).flatMap((entry) => spansOf(entry, this.#clock.now())));
  }
}

/** A loss of a pod is one of all its containers. */
function isLostOne(
  { target: lost }: Loss,
  { kind, namespace, name, uid, container }: InjectionTarget,
): boolean {
  return (
    lost.kind === kind &&
    lost.namespace === namespace &&
    lost.name === name &&
    lost.uid === uid &&
    (lost.container === undefined || lost.container === container)
  );
}

/**
 * Windows by the clock of the experiment. Those of a node whose clock is evidently another one keep their length: their first one is taken
 * to begin when the experiment first heard of an injection. Pure.
 */
function aligned(
  windows: LedgerEntry['inForce'],
  askedMs: number | undefined,
  sinceMs: number | undefined,
  nowMs: number,
): LedgerEntry['inForce'] {
  const firstMs = Date.parse(windows?.[0]?.from ?? '');
  if (windows === undefined || askedMs === undefined || sinceMs === undefined) return windows;
  if (Number.isNaN(firstMs)) return windows;
  const lastMs = Math.max(...windows.map(({ from, to }) => Date.parse(to ?? from)));
  if (firstMs >= askedMs - SKEW_MS && lastMs <= nowMs + SKEW_MS) return windows;
  const shift = (time: string): string => new Date(Date.parse(time) + sinceMs - firstMs).toISOString();
  return windows.map(({ from, to, ended }) => ({
    from: shift(from),
    ...(to === undefined ? {} : { to: shift(to) }),
    ...(ended === undefined ? {} : { ended }),
  }));
}
