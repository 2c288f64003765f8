import {
  apiVersionOf,
  CHAOS_ENGINES,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosSchedule,
} from '../../../api/index.ts';
import type { NewObject } from '../../../kube/client/types.ts';
import { ownerReference } from '../../../kube/runtime/owner-references.ts';

/** kubectl's copy of the schedule must not be taken for one of the engine. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The engine that a schedule makes of its template. Pure. Labels and annotations of the schedule are handed on, as upstream
 * does; a controller owner reference removes the engine with its schedule.
 */
export function engineOfSchedule(schedule: ChaosSchedule, name: string): NewObject<ChaosEngine> {
  const { metadata, ...engine } = occurrenceOf(schedule, name);
  const { app, ...further } = metadata.labels;
  return {
    ...engine,
    metadata: {
      ...metadata,
      labels: { app, chaosUID: schedule.metadata.uid ?? '', ...further },
      ownerReferences: [ownerReference(CHAOS_SCHEDULES, schedule)],
    },
  };
}

/** The same for a schedule that is in no cluster: an engine that nothing owns. Pure. */
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
