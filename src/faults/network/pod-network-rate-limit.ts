import { patterned } from '../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import type { Tunables } from '../../experiment/injection/tunables.ts';
import { NodeError } from '../../experiment/node/node-error.ts';
import { NETWORK_TUNABLES, networkFault } from './network-fault.ts';
import { kernelHasQueue } from './queue.ts';

/** Bits per second by unit, as `tc` reads rates (tc(8), UNITS): `bit` is bits, `bps` bytes; `i` means powers of 1024. */
const RATE = /^(\d+(?:\.\d+)?)([kmgt]?)(i?)(bit|bps)?$/i;
const SIZE = /^(\d+(?:\.\d+)?)([kmg]?)(b|bit)?$/i;

const POWERS: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

/** Patterns for settings, so that a wrong one is found before anything starts. */
const RATE_PATTERN = '^\\d+(\\.\\d+)?[kKmMgGtT]?i?([bB][iI][tT]|[bB][pP][sS])?$';
/** The same for amounts of bytes. */
const SIZE_PATTERN = '^\\d+(\\.\\d+)?[kKmMgG]?([bB]|[bB][iI][tT])?$';

/** Bits per second of a rate in the words of `tc`: `1mbit`, `128kbps`; undefined for what it would not take. Pure. */
export function parseRate(text: string): number | undefined {
  const match = RATE.exec(text);
  if (match === null) return undefined;
  const [, number = '', power = '', binary = '', unit = 'bit'] = match;
  const base = binary === '' ? 1000 : 1024;
  return Number(number) * base ** (POWERS[power.toLowerCase()] ?? 0) * (unit.toLowerCase() === 'bps' ? 8 : 1);
}

/** Bytes of a size in the words of `tc`: `32kb`, `2mb`, `1600`; undefined for what it would not take. Pure. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text);
  if (match === null) return undefined;
  const [, number = '', power = '', unit = 'b'] = match;
  return (
    (Number(number) * 1024 ** (POWERS[power.toLowerCase()] ?? 0)) / (unit.toLowerCase() === 'bit' ? 8 : 1)
  );
}

const tunables = {
  ...NETWORK_TUNABLES,
  NETWORK_BANDWIDTH: patterned(
    { default: '1mbit', pattern: RATE_PATTERN },
    'Rate at which packets leave the pod, as tc writes it: 1mbit, 500kbit, 128kbps (bytes).',
  ),
  BURST: patterned(
    { default: '32kb', pattern: SIZE_PATTERN },
    'Bytes that may leave at once before the rate holds: 32kb.',
  ),
  LIMIT: patterned(
    { default: '2mb', pattern: SIZE_PATTERN },
    'Bytes that may wait; what comes beyond is lost.',
  ),
  PEAK_RATE: patterned({ pattern: RATE_PATTERN }, 'Rate at which even a burst leaves; needs MIN_BURST.'),
  MIN_BURST: patterned(
    { pattern: SIZE_PATTERN },
    'Bytes that may leave at once at PEAK_RATE; at least the size of a packet.',
  ),
} as const;

/** Limits the rate at which packets leave a pod. See {@link networkFault} for what is touched and how it is undone. */
export default networkFault<typeof tunables>({
  name: 'pod-network-rate-limit',
  summary: 'Limits the rate at which packets leave pods of an application.',
  tunables,
  validate,
  effect: ({ NETWORK_BANDWIDTH, BURST, LIMIT, PEAK_RATE, MIN_BURST }) => ({
    kind: 'rate',
    rate: NETWORK_BANDWIDTH,
    burst: BURST,
    limit: LIMIT,
    peakRate: PEAK_RATE,
    minBurst: MIN_BURST,
  }),
  adapt: async (effect, signal) => {
    if (await kernelHasQueue('tbf', signal)) return effect;
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
