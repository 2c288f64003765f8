/** Loads in the container of an application that watches what its container uses, and may shed requests. */
import { pairs } from '../pairs.ts';
import type { Row } from '../row.ts';

const DURATION = { TOTAL_CHAOS_DURATION: '5' };
const SHED = /503|overloaded|Actual value/;
/** Far more than the application uses, and far less than the load. */
const MAX_CPU = '12';
const MEMORY_LIMIT_MIB = '160';
const MEMORY_LOAD_MIB = '250';
const DISK_LIMIT_MIB = '30';

/** Twice what the application allows, of what is asked for; of memory, what exceeds it beside the application's own. */
const STRONG = { atLeast: 0.25 };
const LARGE = { atLeast: 0.8 };

const WEB = { name: 'web', env: {} };
const cpu = {
  family: 'stress',
  asked: WEB,
  property: 'env.MAX_CPU',
  resilient: undefined,
  fragile: MAX_CPU,
  ofFragile: STRONG,
} as const;
const memory = {
  family: 'stress',
  asked: WEB,
  property: 'env.MAX_MEMORY_MIB',
  resilient: undefined,
  fragile: MEMORY_LIMIT_MIB,
  ofFragile: LARGE,
} as const;
const disk = {
  family: 'disk',
  asked: WEB,
  property: 'env.MAX_DISK_MIB',
  resilient: undefined,
  fragile: DISK_LIMIT_MIB,
} as const;

export const STRESS_ROWS: readonly Row[] = [
  ...pairs({
    ...cpu,
    name: 'pod-cpu-hog',
    fault: 'pod-cpu-hog',
    env: { ...DURATION, CPU_CORES: '1', CPU_LOAD: '100' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: SHED },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...cpu,
    name: 'pod-cpu-hog-exec',
    fault: 'pod-cpu-hog-exec',
    env: { ...DURATION, CPU_CORES: '1' },
    checks: [{ type: 'http', mode: 'OnChaos', reason: SHED }],
  }),
  ...pairs({
    ...memory,
    name: 'pod-memory-hog',
    fault: 'pod-memory-hog',
    env: { ...DURATION, MEMORY_CONSUMPTION: MEMORY_LOAD_MIB, NUMBER_OF_WORKERS: '1' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: SHED },
      { type: 'cmd', mode: 'Continuous' },
    ],
  }),
  ...pairs({
    ...memory,
    name: 'pod-memory-hog-exec',
    fault: 'pod-memory-hog-exec',
    env: { ...DURATION, MEMORY_CONSUMPTION: MEMORY_LOAD_MIB },
    checks: [{ type: 'http', mode: 'OnChaos', reason: SHED }],
  }),
  ...pairs({
    ...disk,
    name: 'pod-io-stress on a volume',
    fault: 'pod-io-stress',
    env: {
      ...DURATION,
      FILESYSTEM_UTILIZATION_PERCENTAGE: '90',
      VOLUME_MOUNT_PATH: '/scratch',
      NUMBER_OF_WORKERS: '1',
    },
    asked: { name: 'web', scratchMib: 64, env: { DISK_FOLDER: '/scratch' } },
    checks: [{ type: 'http', mode: 'OnChaos', reason: SHED }],
  }),
  ...pairs({
    ...disk,
    name: 'disk-fill',
    fault: 'disk-fill',
    env: { ...DURATION, FILL_PERCENTAGE: '80' },
    asked: { ...WEB, limits: { 'ephemeral-storage': '100Mi' } },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: SHED },
      { type: 'cmd', mode: 'Continuous' },
    ],
  }),
];
