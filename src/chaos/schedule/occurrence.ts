import { apiVersionOf } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, type ChaosSchedule } from '../../api/index.ts';

/** kubectl's copy of the schedule must not be taken for one of the engine. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The engine that a schedule, which need not be in a cluster, makes of its template: nothing owns it. Pure. Labels and annotations of the
 * schedule are handed on, as upstream does.
 */
export function occurrenceOf({ metadata, spec }: ChaosSchedule, name: string) {
  const { [LAST_APPLIED]: _, ...annotations } = metadata.annotations ?? {};
  const template = spec.engineTemplateSpec ?? { experiments: [] };
  const serviceAccount = template.chaosServiceAccount || spec.chaosServiceAccount;
  return {
    apiVersion: apiVersionOf(CHAOS_ENGINES),
    kind: CHAOS_ENGINES.kind,
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { app: 'chaos-engine', ...metadata.labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      ...template,
      ...(serviceAccount ? { chaosServiceAccount: serviceAccount } : {}),
      engineState: 'active' as const,
    },
  };
}
