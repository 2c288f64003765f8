import type { Fault } from '../../injection/fault.ts';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';
import type { TargetEntry } from '../../injection/settings/parse-targets.ts';
import type { OptInRule } from '../opt-in.ts';
import { optInOf } from '../resolve-targets.ts';
import { hasApplication } from './check-health.ts';

/** The applications whose health a run checks. */
interface HealthSubject {
  readonly entries: readonly TargetEntry[];
  /** `namespace:label,namespace:label`. */
  readonly auxiliary: string;
  readonly optIn?: OptInRule;
}

/** What a run of a fault checks with these settings; undefined when there is nothing to check. Pure. */
export function healthSubject(
  { targets, health }: Pick<Fault, 'targets' | 'health'>,
  settings: ExperimentSettings,
): HealthSubject | undefined {
  const { defaultHealthCheck, auxiliaryApps, targets: entries } = settings;
  if (!defaultHealthCheck) return undefined;
  // Auxiliary applications share a machine with the targets: only faults of nodes and servers check them.
  const isMachine = targets === 'node' || targets === 'nodes' || health?.subject === 'server';
  const auxiliary = isMachine ? auxiliaryApps : '';
  if (!hasApplication(entries) && auxiliary === '') return undefined;
  // Applications that do not agree to chaos are no targets of faults of pods.
  const isOfPods = targets === 'pods' || targets === 'containers';
  return { entries, auxiliary, ...(isOfPods ? optInOf(settings) : {}) };
}
