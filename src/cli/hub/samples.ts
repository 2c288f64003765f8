/** One fault of a sample experiment. */
export interface SampleFault {
  readonly fault: string;
  /** Settings other than the defaults. */
  readonly env: Readonly<Record<string, string>>;
  /** What it counts for in the score. @default 10 */
  readonly weight?: number;
}

/** An experiment of the hub as data. */
export interface Sample {
  readonly name: string;
  readonly displayName: string;
  /** The question that it answers. */
  readonly description: string;
  /** Groups one after the other; the faults of a group at the same time. */
  readonly steps: readonly (readonly SampleFault[])[];
}

const SHORT = { TOTAL_CHAOS_DURATION: '15' } as const;

/** The experiments of the hub: each asks one question about an application that serves HTTP. */
export const SAMPLES: readonly Sample[] = [
  {
    name: 'pods-die',
    displayName: 'Pods die',
    description:
      'Does the application answer while its pods are deleted one after the other? Deletes a third of them every 5 seconds.',
    steps: [
      [
        {
          fault: 'pod-delete',
          env: { ...SHORT, CHAOS_INTERVAL: '5', FORCE: 'false', PODS_AFFECTED_PERC: '34' },
        },
      ],
    ],
  },
  {
    name: 'scaled',
    displayName: 'Scaled up and back',
    description:
      'Does the application answer while it gets more replicas, and when they are taken away again?',
    steps: [[{ fault: 'pod-autoscaler', env: { ...SHORT, REPLICA_COUNT: '5' } }]],
  },
  {
    name: 'slow-network',
    displayName: 'Slow network',
    description: 'Does the application answer in time while each packet of one of its pods is 200 ms late?',
    steps: [[{ fault: 'pod-network-latency', env: { ...SHORT, NETWORK_LATENCY: '200' } }]],
  },
  {
    name: 'busy-node',
    displayName: 'Busy node',
    description: 'Does the application answer while a node has neither CPU nor memory to spare?',
    steps: [
      [
        { fault: 'node-cpu-hog', env: { ...SHORT, CPU_LOAD: '80' } },
        { fault: 'node-memory-hog', env: { ...SHORT, MEMORY_CONSUMPTION_MEBIBYTES: '200' } },
      ],
    ],
  },
  {
    name: 'one-after-the-other',
    displayName: 'One after the other',
    description:
      'Does the application stand a bad day? Its pods are deleted, then it is slow and busy at the same time, then it is scaled.',
    steps: [
      [{ fault: 'pod-delete', env: { ...SHORT, CHAOS_INTERVAL: '5', PODS_AFFECTED_PERC: '34' } }],
      [
        { fault: 'pod-network-latency', env: { ...SHORT, NETWORK_LATENCY: '200' }, weight: 5 },
        { fault: 'pod-cpu-hog', env: { ...SHORT, CPU_CORES: '1' }, weight: 5 },
      ],
      [{ fault: 'pod-autoscaler', env: { ...SHORT, REPLICA_COUNT: '5' }, weight: 5 }],
    ],
  },
];
