import { ScheduleError } from '@turnsole/kube/text/cron/schedule';
import type { CronWorkflow, CronWorkflowSpec } from '../kinds/cron-workflow.ts';
import type { TemplateLibrary } from '../validation/library.ts';
import { malformedFields } from '../validation/malformed.ts';
import { Problems, type WorkflowProblem } from '../validation/problem.ts';
import { validateWorkflow } from '../validation/validate-workflow.ts';
import { childWorkflow } from './child-workflow.ts';
import { type CronSchedule, parseCronSchedule } from './cron-schedule.ts';

/** The names of its workflows have eleven characters more, and fit into a label. */
const LONGEST_NAME = 52;
const POLICIES = ['', 'Allow', 'Forbid', 'Replace'];

/**
 * Everything that is wrong with a CronWorkflow, as decoded; the sentences are Argo's. Empty where nothing is. Pure but for the library's
 * look-ups.
 */
export function validateCronWorkflow(cron: CronWorkflow, library: TemplateLibrary): WorkflowProblem[] {
  const malformed = malformedFields('CronWorkflow', cron.spec);
  if (malformed.length > 0) return malformed;
  const problems = new Problems();
  const { metadata, spec } = cron;
  const { name = '' } = metadata;
  if (name.length > LONGEST_NAME)
    problems.add(
      'metadata.name',
      `cron workflow name "${name}" must not be more than ${LONGEST_NAME} characters long (currently ${name.length})`,
    );
  if (spec.schedules.length === 0)
    problems.add('spec.schedules', 'cron workflow must have at least one schedule');
  for (const [index, text] of spec.schedules.entries()) {
    const schedule = tryParse(text, spec.timezone);
    if (schedule instanceof ScheduleError)
      problems.add(`spec.schedules[${index}]`, `cron schedule ${text} is malformed: ${schedule.message}`);
  }
  const { concurrencyPolicy = '', startingDeadlineSeconds = 0 } = spec;
  if (!POLICIES.includes(concurrencyPolicy))
    problems.add('spec.concurrencyPolicy', `'${concurrencyPolicy}' is not a valid concurrencyPolicy`);
  if (startingDeadlineSeconds < 0)
    problems.add('spec.startingDeadlineSeconds', 'startingDeadlineSeconds must be positive');
  // The name of the child is as long as it may be by the rule above.
  const { metadata: made, ...child } = childWorkflow(cron, 0);
  const workflow = { ...child, metadata: { ...made, name: 'of-cron' } };
  for (const { path, text } of validateWorkflow(workflow, { library }))
    problems.add(path.replace(/^spec\b/, 'spec.workflowSpec'), `cannot validate Workflow: ${text}`);
  return problems.list();
}

/** The schedules by their texts, or why one of them cannot be read. Pure. */
export function readSchedules(spec: CronWorkflowSpec): ReadonlyMap<string, CronSchedule> | string {
  const schedules = new Map<string, CronSchedule>();
  for (const text of spec.schedules) {
    const schedule = tryParse(text, spec.timezone);
    if (schedule instanceof ScheduleError) return `cron schedule ${text} is malformed: ${schedule.message}`;
    schedules.set(text, schedule);
  }
  return schedules;
}

function tryParse(text: string, timeZone: string | undefined): CronSchedule | ScheduleError {
  try {
    return parseCronSchedule(text, timeZone);
  } catch (error) {
    if (error instanceof ScheduleError) return error;
    throw error;
  }
}
