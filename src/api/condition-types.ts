/** Types of the conditions of the chaos kinds. */

/**
 * Whether the run of an engine can be carried out. Absent or True: nothing speaks against it. False: `reason` and
 * `message` say what does; the run is ended when that does not go away.
 */
export const CONDITION_RUNNABLE = 'Runnable';

/** True: the operator has ended the run because it could not be carried out, as `reason` and `message` say. */
export const CONDITION_GIVEN_UP = 'GivenUp';

/** False: something that the engine's run injected could not be reverted, as `message` says. Absent: all is reverted. */
export const CONDITION_RECOVERED = 'Recovered';

/** True: the run is a dry run (`spec.dryRun`). Nothing is injected, and its experiments get no verdict but N/A or Error. */
export const CONDITION_DRY_RUN = 'DryRun';

/** Whether the metrics of the engine are served (`spec.monitoring`). False: `reason` and `message` say what keeps them. */
export const CONDITION_MONITORED = 'Monitored';

/** Whether an EventTrackerPolicy can be carried out. False: `message` names the fields and their allowed values. */
export const CONDITION_READY = 'Ready';
