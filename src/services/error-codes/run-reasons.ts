import type { ErrorRow } from '../../chaos/errors/row.ts';

/** Why a run that had begun is not followed to its end; the command ends with 3. */
export const RUN_REASONS = {
  NO_OPERATOR: {
    means: 'no operator took the engine up',
    todo: 'install one (`turnsole install`), or see why it does not run or does not watch the namespace',
  },
  ENGINE_DELETED: {
    means: 'the engine was deleted while it ran; what was injected is reverted by the operator',
    todo: 'run it again when that was not meant',
  },
  NO_WORKFLOW_CONTROLLER: {
    means: 'no controller took the workflow up; it was ended, so that it does not begin later',
    todo: 'install one, or see why it does not run, does not watch the namespace or has another instance id',
  },
  ENGINE_NOT_MADE: {
    means:
      'a workflow succeeded, but an engine that one of its steps brings along was never made: nothing was judged',
    todo: 'let the step apply the engine under the name in the manifest, and delete an older engine of that name first',
  },
  STOP_TIMEOUT: {
    means: 'the engine or workflow was stopped, and not all of it was over in time',
    todo: 'see `turnsole status`, and the log of the operator; `turnsole halt` reverts what is left',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
