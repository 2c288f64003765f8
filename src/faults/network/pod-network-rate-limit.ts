import type { TunableProblem, Tunables } from '../../experiment/index.ts';
import { NodeError } from '../../experiment/node/index.ts';
import { NETWORK_TUNABLES, networkFault } from './network-fault.ts';
import { kernelQueues } from './queue.ts';
import { parseRate, parseSize, RATE_PATTERN, SIZE_PATTERN } from './rate.ts';

const tunables = {
  ...NETWORK_TUNABLES,
  NETWORK_BANDWIDTH: {
    type: 'text',
    default: '1mbit',
    pattern: RATE_PATTERN,
    description: 'Rate at which packets leave the pod, as tc writes it: 1mbit, 500kbit, 128kbps (bytes).',
  },
  BURST: {
    type: 'text',
    default: '32kb',
    pattern: SIZE_PATTERN,
    description: 'Bytes that may leave at once before the rate holds: 32kb.',
  },
  LIMIT: {
    type: 'text',
    default: '2mb',
    pattern: SIZE_PATTERN,
    description: 'Bytes that may wait; what comes beyond is lost.',
  },
  PEAK_RATE: {
    type: 'text',
    default: '',
    pattern: RATE_PATTERN,
    description: 'Rate at which even a burst leaves; needs MIN_BURST.',
  },
  MIN_BURST: {
    type: 'text',
    default: '',
    pattern: SIZE_PATTERN,
    description: 'Bytes that may leave at once at PEAK_RATE; at least the size of a packet.',
  },
} as const;

/** Limits the rate at which packets leave a pod. See {@link networkFault} for what is touched and how it is undone. */
export default networkFault<typeof tunables>({
  name: 'pod-network-rate-limit',
  summary: 'Limits the rate at which packets leave pods of an application.',
  tunables,
  validate,
  effect: ({ NETWORK_BANDWIDTH, BURST, LIMIT, PEAK_RATE, MIN_BURST }) => {
    const peak = PEAK_RATE === '' ? '' : ` peakrate ${PEAK_RATE}`;
    const mtu = MIN_BURST === '' ? '' : ` mtu ${MIN_BURST}`;
    return { kind: 'tbf', args: `rate ${NETWORK_BANDWIDTH} burst ${BURST} limit ${LIMIT}${peak}${mtu}` };
  },
  adapt: async (effect, signal) => {
    if (await kernelQueues.has('tbf', signal)) return effect;
    throw new NodeError(
      'cannot inject pod-network-rate-limit: the kernel of this node has no tbf queue (module sch_tbf, CONFIG_NET_SCH_TBF)',
    );
  },
});

/** Beyond these the kernel's 32-bit counters of the queue overflow, or no link is that fast. */
const MAX_BYTES = 2 * 1024 ** 3;
const MAX_BITS = 10e12;

function validate(settings: Tunables<typeof tunables>): TunableProblem[] {
  const { NETWORK_BANDWIDTH, BURST, LIMIT, PEAK_RATE, MIN_BURST } = settings;
  const rate = parseRate(NETWORK_BANDWIDTH) ?? 0;
  const problems: TunableProblem[] = [];
  const add = (isWrong: boolean, variable: keyof typeof settings, expected: string): void => {
    if (isWrong) problems.push({ variable, found: String(settings[variable]), expected });
  };
  const isRate = (bits: number): boolean => bits >= 8 && bits <= MAX_BITS;
  const isSize = (bytes: number): boolean => bytes >= 1 && bytes <= MAX_BYTES;
  add(!isRate(rate), 'NETWORK_BANDWIDTH', 'a rate from 8bit to 10tbit');
  add(!isSize(parseSize(BURST) ?? 0), 'BURST', 'a size from 1b to 2gb');
  add(!isSize(parseSize(LIMIT) ?? 0), 'LIMIT', 'a size from 1b to 2gb');
  add(PEAK_RATE !== '' && !isRate(parseRate(PEAK_RATE) ?? 0), 'PEAK_RATE', 'a rate from 8bit to 10tbit');
  add(MIN_BURST !== '' && !isSize(parseSize(MIN_BURST) ?? 0), 'MIN_BURST', 'a size from 1b to 2gb');
  add(PEAK_RATE !== '' && MIN_BURST === '', 'MIN_BURST', 'a size such as 1600, which PEAK_RATE needs');
  add(
    PEAK_RATE !== '' && (parseRate(PEAK_RATE) ?? 0) <= rate,
    'PEAK_RATE',
    `more than NETWORK_BANDWIDTH (${NETWORK_BANDWIDTH})`,
  );
  return problems;
}
