import { ENGINE_REASONS, SCHEDULE_REASONS } from '../../chaos/errors/engine-reasons.ts';
import { RUNNER_WARNINGS, SKIP_REASONS } from '../../chaos/errors/experiment-reasons.ts';
import { RESULT_ERRORS } from '../../chaos/errors/result-errors.ts';
import type { ErrorRow } from '../../chaos/errors/row.ts';
import type { UsageError } from '../../process/usage-error.ts';
import { COMMAND_ERRORS } from './command-errors.ts';
import { INPUT_CODES } from './input-codes.ts';
import { RUN_REASONS } from './run-reasons.ts';

/** Codes of programs in pods that end before they have done anything. */
const POD_ERRORS = {
  USAGE: {
    means: 'a flag or an environment variable of operator, runner, webhook or exporter cannot be used',
    todo: 'the message names it; the operator sets those of the pods that it makes, so look for what has changed them',
  },
} as const satisfies Readonly<Record<UsageError['code'], ErrorRow>>;

/** The codes that are seen in one place. */
export interface ErrorGroup {
  readonly title: string;
  /** Where users see them, as Markdown. */
  readonly seen: string;
  readonly rows: Readonly<Record<string, ErrorRow & { readonly exitCode?: number }>>;
}

/** Every code, by the place where users see it. */
export const ERROR_CATALOGUE: readonly ErrorGroup[] = [
  {
    title: 'Results',
    seen:
      'In `status.experimentStatus.errorOutput.errorCode` of a ChaosResult, in the table of `turnsole run` after the reason, as `errorCode` in ' +
      'its JSON report and as `type` in that for JUnit, in the log of the experiment; of settings, targets and probes in `turnsole plan` as well. A probe has its codes in `probeStatuses`.',
    rows: RESULT_ERRORS,
  },
  {
    title: 'Engines',
    seen:
      'As `reason` of the conditions Runnable, GivenUp, Recovered and Monitored of a ChaosEngine, and at the end of the reason with which ' +
      '`turnsole run` ends. Causes that may go away are waited out before the run is given up.',
    rows: ENGINE_REASONS,
  },
  {
    title: 'Experiments that are skipped',
    seen: 'As reason of a Warning Event of the ChaosEngine, and at the end of `status.experiments[].reason`.',
    rows: SKIP_REASONS,
  },
  {
    title: 'Warnings of the runner',
    seen: 'As reason of a Warning Event of the ChaosEngine.',
    rows: RUNNER_WARNINGS,
  },
  {
    title: 'Schedules',
    seen: 'As `reason` of the condition Runnable, and of Warning Events, of a ChaosSchedule.',
    rows: SCHEDULE_REASONS,
  },
  {
    title: 'Manifests',
    seen: 'At the end of each line with which `turnsole run` and `turnsole plan` refuse manifests, and as `code` in `turnsole plan -o json`.',
    rows: INPUT_CODES,
  },
  {
    title: 'Runs that are not followed to their end',
    seen: 'At the end of the reason of an engine in the reports of `turnsole run`, which ends with 3.',
    rows: RUN_REASONS,
  },
  {
    title: 'Programs in pods',
    seen: 'As `code` in the last line of the log of the pod.',
    rows: POD_ERRORS,
  },
  {
    title: 'Commands',
    seen:
      'At the end of the message with which a command ends; WORKFLOW_DELETED also at the end of the reason of a workflow in the reports ' +
      'of `turnsole run`.',
    rows: COMMAND_ERRORS,
  },
];
