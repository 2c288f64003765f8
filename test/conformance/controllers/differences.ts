import type { DeliberateDifference } from '../harness/replay.ts';

/** Where pods and controllers end differently on purpose; counted together with those of the API server. */
export const CONTROLLER_DIFFERENCES: readonly DeliberateDifference[] = [
  {
    reason:
      'The message of a pod with a missing image also says how to add it to the catalogue, for every pull policy.',
    places: [
      {
        scenario: 'pod-image-never-present',
        step: 1,
        pointers: ['/0/status/containerStatuses/0/state/waiting/message'],
      },
      { scenario: 'pod-image-never-present', step: 2, pointers: ['/0/message'] },
    ],
  },
];
