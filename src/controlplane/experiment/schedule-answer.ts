import { objectAt, textAt } from '@turnsole/kube/text/json';
import type { ExperimentSchedule } from '../schema/generated/types.ts';
import { cronsOf, type Manifest } from './manifest/read-manifest.ts';

/** The schedule of a CronWorkflow or ChaosSchedule as clients see it. Pure. */
export function scheduleAnswer(manifest: Manifest, isBegun: boolean): ExperimentSchedule {
  const spec = objectAt(manifest.object, 'spec');
  return {
    cron: cronsOf(manifest),
    timezone: textAt(spec, 'timezone'),
    isSuspended: manifest.kind === 'CronWorkflow' ? spec.suspend === true : spec.scheduleState === 'halt',
    isBegun,
  };
}
