import type { ProbeType } from '../../api/schema/vocabulary.ts';
import type { ProbeKind } from './probe-kind.ts';

/** Gives a new instance of a type of probes. */
export type LoadProbeKind = (type: ProbeType) => Promise<ProbeKind>;

/** Loads the code of a type when it is needed for the first time: an experiment starts without what it does not use. */
export const loadProbeKind: LoadProbeKind = async (type) => {
  switch (type) {
    case 'httpProbe':
      return (await import('./http-probe.ts')).createHttpProbe();
    case 'cmdProbe':
      return (await import('./cmd-probe.ts')).createCmdProbe();
    case 'k8sProbe':
      return (await import('./k8s-probe.ts')).createK8sProbe();
    case 'promProbe':
      return (await import('./prom-probe.ts')).createPromProbe();
    case 'sloProbe':
      return (await import('./slo-probe.ts')).createSloProbe();
    case 'loadProbe':
      return (await import('./load-probe.ts')).createLoadProbe();
  }
};
