import type { NewObject } from '@turnsole/kube/client/types';
import { ownerReference } from '@turnsole/kube/runtime/owner-references';
import { CHAOS_SCHEDULES, type ChaosEngine, type ChaosSchedule } from '../../../api/index.ts';
import { occurrenceOf } from '../../../chaos/schedule/occurrence.ts';

/**
 * The engine that a schedule makes of its template. Pure. A controller owner reference removes it with its schedule.
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
