import type { DeliberateDifference } from '../harness/replay.ts';

/** Where pods and controllers end differently on purpose; counted together with those of the API server. */
export const CONTROLLER_DIFFERENCES: readonly DeliberateDifference[] = [
  {
    reason: 'An Event about an image that a command of the machine stands for says so.',
    places: [
      { scenario: 'deployment-create', step: 2, pointers: ['/1/message'] },
      { scenario: 'pod-completes', step: 3, pointers: ['/1/message'] },
    ],
  },
];
