import { InjectError } from '../../../experiment/injection/errors.ts';
import { runtimeUnits } from '../host/units.ts';
import { serviceKillFault } from './service-kill-fault.ts';

/**
 * Stops the container runtime of a node: containerd, CRI-O or Docker, whichever its Node object names. See {@link serviceKillFault}.
 *
 * Containers outlive containerd and CRI-O. With Docker they end unless it is set to `live-restore`, and so does the helper: the node
 * itself starts it again when the duration is over.
 */
export const dockerServiceKill = serviceKillFault({
  name: 'docker-service-kill',
  summary: 'Stops the container runtime of a node: containerd, CRI-O or Docker.',
  service: 'runtime',
  units: (version, node) => {
    const units = runtimeUnits(version);
    if (units !== undefined) return units;
    throw new InjectError(
      `cannot tell the service of the container runtime of node ${node} (${version === '' ? 'it says none' : version}); name its ` +
        'unit in SERVICE_NAME',
      { target: `{nodeName: ${node}}` },
    );
  },
  endsContainers: (units) => units.some((unit) => unit.startsWith('docker.')),
});

export default dockerServiceKill;
