import { number } from '../../experiment/injection/settings/declare.ts';
import { CORRELATION, NETWORK_TUNABLES, networkFault } from './network-fault.ts';

const tunables = {
  ...NETWORK_TUNABLES,
  NETWORK_PACKET_DUPLICATION_PERCENTAGE: number(
    { default: 100, minimum: 0, maximum: 100, range: true, unit: 'percent' },
    'Share of the packets leaving the pod that is sent twice.',
  ),
  CORRELATION,
} as const;

/** Sends twice packets that leave a pod. See {@link networkFault} for what is touched and how it is undone. */
export default networkFault<typeof tunables>({
  name: 'pod-network-duplication',
  summary: 'Sends twice packets that leave pods of an application.',
  tunables,
  effect: ({ NETWORK_PACKET_DUPLICATION_PERCENTAGE: percent, CORRELATION: correlation }) => ({
    kind: 'duplicate',
    percent,
    correlation,
  }),
});
