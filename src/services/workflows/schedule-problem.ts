import { readSchedules } from '@turnsole/workflows/cron/validate-cron';
import type { CronWorkflowSpec } from '@turnsole/workflows/kinds/cron-workflow';

/** Why the schedules of a CronWorkflow start nothing; undefined where they can be read. Pure. */
export function scheduleProblem(spec: CronWorkflowSpec): string | undefined {
  const schedules = readSchedules(spec);
  return typeof schedules === 'string' ? schedules : undefined;
}
