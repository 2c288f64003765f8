import { readSchedules } from '../../workflows/cron/validate-cron.ts';
import type { CronWorkflowSpec } from '../../workflows/kinds/cron-workflow.ts';

/** Why the schedules of a CronWorkflow start nothing; undefined where they can be read. Pure. */
export function scheduleProblem(spec: CronWorkflowSpec): string | undefined {
  const schedules = readSchedules(spec);
  return typeof schedules === 'string' ? schedules : undefined;
}
