import type { ProbeType } from '../../api/probe-types/index.ts';
import type { ProbeKind } from './probe-kind.ts';

/** Gives a new instance of a type of probes. */
export type LoadProbeKind = (type: ProbeType) => Promise<ProbeKind>;

const MEASURES: Readonly<Record<ProbeType, () => Promise<ProbeKind>>> = {
  httpProbe: async () => (await import('./http-probe.ts')).createHttpProbe(),
  cmdProbe: async () => (await import('./cmd-probe.ts')).createCmdProbe(),
  k8sProbe: async () => (await import('./k8s-probe.ts')).createK8sProbe(),
  promProbe: async () => (await import('./prom-probe.ts')).createPromProbe(),
  sloProbe: async () => (await import('./slo-probe.ts')).createSloProbe(),
  loadProbe: async () => (await import('./load-probe.ts')).createLoadProbe(),
};

/** Loads the code of a type when it is needed for the first time: an experiment starts without what it does not use. */
export const loadProbeKind: LoadProbeKind = (type) => MEASURES[type]();
