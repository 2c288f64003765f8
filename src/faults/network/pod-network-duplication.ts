import { needNetem, share } from './netem.ts';
import { CORRELATION, NETWORK_TUNABLES, networkFault } from './network-fault.ts';

const tunables = {
  ...NETWORK_TUNABLES,
  NETWORK_PACKET_DUPLICATION_PERCENTAGE: {
    type: 'number',
    default: 100,
    minimum: 0,
    maximum: 100,
    range: true,
    unit: 'percent',
    description: 'Share of the packets leaving the pod that is sent twice.',
  },
  CORRELATION,
} as const;

/** Sends twice packets that leave a pod. See {@link networkFault} for what is touched and how it is undone. */
export default networkFault<typeof tunables>({
  name: 'pod-network-duplication',
  summary: 'Sends twice packets that leave pods of an application.',
  tunables,
  effect: ({ NETWORK_PACKET_DUPLICATION_PERCENTAGE, CORRELATION: correlation }) => ({
    kind: 'netem',
    args: `duplicate ${share(NETWORK_PACKET_DUPLICATION_PERCENTAGE, correlation)}`,
  }),
  adapt: (effect, signal) => needNetem('pod-network-duplication', effect, signal),
});
