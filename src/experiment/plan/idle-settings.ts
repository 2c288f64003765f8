import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../api/index.ts';
import { faultNameOf } from '../../chaos/fault-name.ts';
import type { Fault, FaultRegistry } from '../injection/fault.ts';
import { compileSettings } from '../injection/settings/compile-settings.ts';
import { experimentEnvironment } from './experiment-env.ts';

/** The two ends of what ranges of settings (`0-5`) can give. */
const DRAWS = [0, 1 - Number.EPSILON];

/**
 * Why the settings of an engine's entry ask for nothing, whatever is drawn out of their ranges. Undefined where they ask for something, and
 * where that is not known: for a fault that is not in the registry, settings that cannot be read, and values that come from elsewhere.
 * Loads the fault of the experiment, and no other.
 */
export async function idleSettings(
  registry: FaultRegistry,
  engine: ChaosEngine,
  experiment: ChaosExperiment,
  entry: EngineExperiment,
): Promise<string | undefined> {
  const fault = await registry.get(faultNameOf(experiment))?.();
  if (fault?.idleReason === undefined) return undefined;
  const { env, unknown, problems } = experimentEnvironment(engine, experiment, entry);
  if (problems.length > 0 || unknown.some((name) => Object.hasOwn(fault.tunables, name))) return undefined;
  const reasons = DRAWS.map((draw) => idleReasonWith(fault, env, draw));
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}

function idleReasonWith(
  fault: Fault,
  env: Parameters<typeof compileSettings>[1],
  draw: number,
): string | undefined {
  const { settings, problems } = compileSettings(fault, env, () => draw);
  return problems.length > 0 ? undefined : fault.idleReason?.(settings.tunables);
}
