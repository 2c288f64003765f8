import type { Tunables } from '../../experiment/index.ts';
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
  effect: (settings) => {
    const { NETWORK_BANDWIDTH, BURST, LIMIT, PEAK_RATE, MIN_BURST } = settings;
    const peak = PEAK_RATE === '' ? '' : ` peakrate ${PEAK_RATE}`;
    const mtu = MIN_BURST === '' ? '' : ` mtu ${MIN_BURST}`;
    return {
      effect: { kind: 'tbf', args: `rate ${NETWORK_BANDWIDTH} burst ${BURST} limit ${LIMIT}${peak}${mtu}` },
      problems: problemsOf(settings),
    };
  },
  adapt: async (effect, signal) => {
    if (await kernelQueues.has('tbf', signal)) return effect;
    throw new NodeError(
      'cannot inject pod-network-rate-limit: the kernel of this node has no tbf queue (module sch_tbf, CONFIG_NET_SCH_TBF)',
    );
  },
});

function problemsOf({
  NETWORK_BANDWIDTH,
  BURST,
  LIMIT,
  PEAK_RATE,
  MIN_BURST,
}: Pick<
  Tunables<typeof tunables>,
  'NETWORK_BANDWIDTH' | 'BURST' | 'LIMIT' | 'PEAK_RATE' | 'MIN_BURST'
>): string[] {
  const problems: string[] = [];
  const rate = parseRate(NETWORK_BANDWIDTH) ?? 0;
  if (rate < 8) problems.push(`NETWORK_BANDWIDTH is ${NETWORK_BANDWIDTH}; expected at least 8bit`);
  if ((parseSize(BURST) ?? 0) < 1) problems.push(`BURST is ${BURST}; expected at least 1 byte`);
  if ((parseSize(LIMIT) ?? 0) < 1) problems.push(`LIMIT is ${LIMIT}; expected at least 1 byte`);
  if (PEAK_RATE === '') return problems;
  if (MIN_BURST === '') problems.push('MIN_BURST is missing; PEAK_RATE needs it, for example 1600');
  if ((parseRate(PEAK_RATE) ?? 0) <= rate) {
    problems.push(`PEAK_RATE is ${PEAK_RATE}; expected more than NETWORK_BANDWIDTH (${NETWORK_BANDWIDTH})`);
  }
  return problems;
}
