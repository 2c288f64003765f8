import type { DeliberateDifference } from '../harness/replay.ts';

/** Where pods and controllers end differently on purpose; counted together with those of the API server. */
export const CONTROLLER_DIFFERENCES: readonly DeliberateDifference[] = [];
