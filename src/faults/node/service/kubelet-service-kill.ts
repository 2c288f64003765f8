import { serviceKillFault } from './service-kill-fault.ts';

/** Stops the kubelet of a node, which then falls silent; its containers go on. See {@link serviceKillFault}. */
export const kubeletServiceKill = serviceKillFault({
  name: 'kubelet-service-kill',
  summary: 'Stops the kubelet of a node.',
  service: 'kubelet',
  units: () => ['kubelet.service'],
  endsContainers: () => false,
});

export default kubeletServiceKill;
