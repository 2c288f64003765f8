import type { FaultContext } from '../../experiment/injection/fault.ts';
import { parseTargets } from '../../experiment/injection/settings/parse-targets.ts';
import { awaitHealthy, hasApplication } from '../../experiment/targets/health/check-health.ts';

/**
 * Resolves when the application and the auxiliary ones are healthy while a node is withheld from them: they have to live without
 * it. Checks nothing with DEFAULT_HEALTH_CHECK=false, or without a named application.
 *
 * @throws StatusCheckError when they are not healthy within STATUS_CHECK_TIMEOUT
 */
export async function awaitHealthyInForce(context: FaultContext): Promise<void> {
  const { client, clock, signal, tunables, recoveryTimeoutMs, note } = context;
  if (tunables?.DEFAULT_HEALTH_CHECK !== true) return;
  const { entries } = parseTargets(tunables.TARGETS);
  const auxiliary = tunables.AUXILIARY_APPINFO;
  if (!hasApplication(entries) && auxiliary === '') return;
  await awaitHealthy({ client, clock, signal, timeoutMs: recoveryTimeoutMs, entries, auxiliary });
  note('HealthChecked', undefined, 'the application is healthy without the node');
}

/** Lets the rest of a hold pass. */
export async function sleepUntil(endsAt: number, { clock, signal }: FaultContext): Promise<void> {
  const ms = endsAt - clock.monotonic();
  if (ms > 0) await clock.sleep(ms, signal);
}
