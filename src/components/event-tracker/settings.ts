import type { Environment } from '@turnsole/kube/text/environment';
import { dnsLabelProblems } from '@turnsole/kube/text/names';
import { ELECTED_FLAGS, type ElectedSettings, electedSettings, LOGGER_FLAGS } from '../../process/elected.ts';
import { type FlagValues, textFlag } from '../../process/flags.ts';
import { UsageError } from '../../process/usage-error.ts';

export const FLAGS = {
  kubeconfig: textFlag('FILE'),
  ...ELECTED_FLAGS,
  ...LOGGER_FLAGS,
};

/** Settings of the event tracker. */
export interface EventTrackerSettings
  extends Pick<ElectedSettings, 'leaderElect' | 'metricsAddress' | 'healthAddress'> {
  /** Where policies, ConfigMap and Secret are, and what policies start. */
  readonly namespace: string;
  /** Where workloads are watched; undefined: everywhere. */
  readonly watchNamespace: string | undefined;
  /** For what the ConfigMap of the infrastructure does not say. */
  readonly env: Environment;
}

/** @throws UsageError that names the flag or variable */
export function readSettings(flags: FlagValues<typeof FLAGS>, env: Environment): EventTrackerSettings {
  const namespace = readNamespace(env, 'INFRA_NAMESPACE');
  if (namespace === undefined) {
    throw new UsageError('INFRA_NAMESPACE must be set: the namespace of the EventTrackerPolicies');
  }
  const scope = env.INFRA_SCOPE ?? '';
  if (scope !== 'cluster' && scope !== 'namespace') {
    throw new UsageError(`INFRA_SCOPE must be cluster or namespace, not ${JSON.stringify(scope)}`);
  }
  return {
    ...electedSettings(flags),
    namespace,
    watchNamespace: scope === 'cluster' ? undefined : (readNamespace(env, 'WATCH_NAMESPACE') ?? namespace),
    env,
  };
}

function readNamespace(env: Environment, name: string): string | undefined {
  const value = env[name] ?? '';
  if (value === '') return undefined;
  if (dnsLabelProblems(value).length === 0) return value;
  throw new UsageError(`${name}: ${JSON.stringify(value)} is no name of a namespace`);
}
