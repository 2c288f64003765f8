import type { Lease } from '../api/core.ts';
import { OPERATOR_LEASE } from '../api/index.ts';
import { LEASES } from '../api/resources.ts';
import type { KubeClient } from '../kube/client/types.ts';
import { type Clock, systemClock } from '../kube/runtime/clock.ts';
import { Informer } from '../kube/runtime/informer.ts';
import { type Logger, silentLogger } from '../kube/runtime/log.ts';
import { type Operator, type OperatorOptions, startOperator } from './start-operator.ts';

/** A holder whose lease names no duration; the default of Kubernetes' leader election. */
const DEFAULT_LEASE_MS = 15_000;

/** Whether an operator leads: by which lease, and until when its promise holds unless it is renewed. */
export type OtherLeader =
  | { readonly holder: string; readonly lease: string; readonly untilMs: number }
  | undefined;

/**
 * The operator that leads in one of these leases, if any: one with a holder that is not older than its duration. Pure.
 */
export function leaderOf(leases: readonly Lease[], nowMs: number): OtherLeader {
  const live = leases.flatMap(({ metadata, spec }) => {
    const holder = spec?.holderIdentity ?? '';
    const renewedMs = Date.parse(spec?.renewTime ?? '');
    if (holder === '' || Number.isNaN(renewedMs)) return [];
    const { leaseDurationSeconds } = spec ?? {};
    const durationMs = leaseDurationSeconds === undefined ? DEFAULT_LEASE_MS : leaseDurationSeconds * 1000;
    const untilMs = renewedMs + durationMs;
    return untilMs > nowMs
      ? [{ holder, lease: `${metadata.namespace ?? ''}/${metadata.name}`, untilMs }]
      : [];
  });
  return live.sort((a, b) => b.untilMs - a.untilMs)[0];
}

/**
 * The operator of `turnsole up`, which gives way: it works while no other operator leads, in whatever namespace, and stands aside
 * while one does. Two operators of one engine would each take the other's pods for leftovers.
 */
export async function startYieldingOperator(
  options: OperatorOptions & { readonly client: KubeClient },
): Promise<{ stop(): Promise<void> }> {
  const { client, clock = systemClock, logger = silentLogger } = options;
  const leases = new Informer<Lease>({
    client,
    clock,
    logger,
    resource: LEASES,
    fieldSelector: `metadata.name=${OPERATOR_LEASE}`,
  });
  const shift = new Shift(options, clock, logger, () => leases.lister.list());
  const look = (): void =>
    void shift
      .look()
      .catch((err: unknown) => logger.error({ err }, 'the operator could not change its shift'));
  leases.addHandler({ onAdd: look, onUpdate: look, onDelete: look });
  leases.start();
  // At once: an operator that leads already is seen by the first list, and the first pass waits for nobody.
  try {
    await leases.whenSynced(options.signal);
    await shift.look();
  } catch (error) {
    await leases.stop();
    throw error;
  }
  return {
    stop: async () => {
      await leases.stop();
      await shift.end();
    },
  };
}

/** Starts and stops the operator, one change at a time. */
class Shift {
  readonly #options: OperatorOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #leases: () => readonly Lease[];
  #operator: Operator | undefined;
  #changing: Promise<void> = Promise.resolve();
  #stopTimer = (): void => {};
  #hasEnded = false;

  constructor(options: OperatorOptions, clock: Clock, logger: Logger, leases: () => readonly Lease[]) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#leases = leases;
  }

  readonly look = (): Promise<void> => {
    this.#changing = this.#changing.catch(() => {}).then(() => this.#change());
    return this.#changing;
  };

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#stopTimer();
    await this.#changing;
    await this.#operator?.stop();
  }

  async #change(): Promise<void> {
    if (this.#hasEnded) return;
    this.#stopTimer();
    const nowMs = this.#clock.now();
    const leader = leaderOf(this.#leases(), nowMs);
    if (leader === undefined) {
      this.#operator ??= await startOperator(this.#options);
      return;
    }
    // A leader that dies releases nothing: its lease runs out.
    this.#stopTimer = this.#clock.setTimer(leader.untilMs - nowMs, () => void this.look().catch(() => {}), {
      unref: true,
    });
    if (this.#operator === undefined) return;
    this.#logger.info(
      { holder: leader.holder, lease: leader.lease },
      'another operator leads; standing aside',
    );
    const operator = this.#operator;
    this.#operator = undefined;
    await operator.stop();
  }
}
