import { PROBE_DESCRIPTORS, type ProbeCode } from '../../api/probe-types/index.ts';
import type { ErrorRow } from './row.ts';

const PROBE_ERROR_TODO =
  'the message says what kept the probe from measuring (address, query, permission, command); correct the probe';
const PROBE_FAILURE_TODO =
  'this is what chaos is for: compare what was found with what was expected, in the description of the probe';

/**
 * Codes of `status.experimentStatus.errorOutput.errorCode` of a ChaosResult. They come from the compatibility reference, but for
 * those about effects and of sloProbe, and are never used again for anything else.
 */
export const RESULT_ERRORS = {
  GENERIC_ERROR: {
    means: 'a setting cannot be used, a helper could not be made, or the API could not be read',
    todo: 'the message names the setting or the object; `turnsole plan` finds wrong settings before a run',
  },
  TARGET_SELECTION_ERROR: {
    means: 'there is no target, or not those that were asked for',
    todo: 'compare appinfo, selectors and TARGET_PODS with `kubectl get pods --show-labels`; protected namespaces are hit only when named',
  },
  STATUS_CHECKS_ERROR: {
    means: 'the application or a node was not healthy in time, before chaos or after it',
    todo: 'before chaos: mend the application first; after it: it did not recover, or takes longer than STATUS_CHECK_TIMEOUT',
  },
  CHAOS_RESULT_CRUD_ERROR: {
    means: 'the ChaosResult could not be read or written',
    todo: 'give the service account of the engine the verbs of chaosresults that `turnsole plan` lists',
  },
  CHAOS_INJECT_ERROR: {
    means: 'a fault could not be injected',
    todo: 'the message names target and cause; what was injected before is reverted',
  },
  CHAOS_REVERT_ERROR: {
    means: 'a fault could not be reverted; its entry in the ledger stays open, and recovery tries again',
    todo: 'see `status.ledger` of the result and `turnsole status`; `turnsole halt` reverts what is left',
  },
  HELPER_ERROR: {
    means: 'a helper could not read its assignment, or a command on its node failed',
    todo: 'the message has the end of what the command printed',
  },
  HELPER_POD_FAILED_ERROR: {
    means: 'a helper pod failed; it has written why itself',
    todo: 'read the other errors of the same result, and the log of the helper pod',
  },
  CONTAINER_RUNTIME_ERROR: {
    means: 'no process was found for a container, or it has ended',
    todo: 'check whether the container restarts by itself, and that the helper sees the processes of its node',
  },
  EXPERIMENT_ABORTED: {
    means: 'the run was aborted, by a signal or by a probe with stopOnFailure; what was injected is reverted',
    todo: 'the timeline says who ended it',
  },
  NOT_STEADY: {
    means:
      'a probe did not hold before the fault, so that nothing was injected: what is broken already says nothing of the fault',
    todo: 'mend what the message names, or check the probe; `spec.steadyState: ignore` in the engine injects all the same',
  },
  NO_EFFECT: {
    means: 'the fault is known to have had no effect, and the engine has requireEffect',
    todo: 'check that something uses the target while the fault is in force (traffic, connections, load)',
  },
  EFFECT_UNKNOWN: {
    means:
      'the engine has requireEffect, and of no target it is known that the fault had an effect there; of some, not that it had none',
    todo: 'the timeline says what became of these targets; a target that went, or a node that does not answer, cannot be asked',
  },
  EFFECT_TOO_SMALL: {
    means:
      'the engine has requireEffect, and the load got less than a tenth of what was asked for on every target: of the CPU time (within the limit of its container), memory, or bytes',
    todo: 'the message says what it got; raise limits of the container, ask for less, or run it when the machine is not busy with something else',
  },
  MACHINE_BUSY: {
    means:
      'the machine was overloaded before the fault, and probes failed only for want of an answer in time: it is not known whether the fault or the machine was the reason',
    todo: 'run on a machine that is less busy, or raise probeTimeout',
  },
  LOW_COVERAGE: {
    means:
      'the fault was in force on its targets for less than spec.minimumCoverage of its time (90 % by default)',
    todo: 'the timeline says which pods went and when the fault came into force on those that took their place; lengthen the chaos, or lower minimumCoverage (0 accepts any share)',
  },
  ...probeErrors(),
  PROBE_TIMEOUT: {
    means: 'a background probe did not end in time',
    todo: 'give it a shorter probeTimeout, or the run more time',
  },
  TIMEOUT: {
    means: 'one attempt took too long',
    todo: 'raise probeTimeout, or find out why what is asked answers slowly',
  },
  NON_USER_FRIENDLY_ERROR: {
    means: 'an error without a code: a defect of Turnsole',
    todo: 'report it, with the log of the experiment pod',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
export type ErrorCode = keyof typeof RESULT_ERRORS;

/** Two codes for each type of probes. */
function probeErrors(): Record<`${ProbeCode}_PROBE_${'ERROR' | 'FAILURE'}`, ErrorRow> {
  const errors = PROBE_DESCRIPTORS.map(({ code, named, errors: own }) => [
    `${code}_PROBE_ERROR`,
    own?.error ?? { means: `${named} could not be evaluated`, todo: PROBE_ERROR_TODO },
  ]);
  const failures = PROBE_DESCRIPTORS.map(({ code, named, errors: own }) => [
    `${code}_PROBE_FAILURE`,
    { means: own?.failure?.means ?? `the condition of ${named} is not met`, todo: PROBE_FAILURE_TODO },
  ]);
  // Both rows of every descriptor, which the compiler cannot see of entries.
  return Object.fromEntries([...errors, ...failures]) as ReturnType<typeof probeErrors>;
}
