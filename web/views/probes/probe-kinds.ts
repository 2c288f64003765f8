import type { ProbeType } from '../../../src/controlplane/schema/generated/types.ts';

/** What a probe of each type checks. */
export const PROBE_KINDS: Readonly<Record<ProbeType, string>> = {
  httpProbe: 'an HTTP answer',
  cmdProbe: 'what a command prints',
  promProbe: 'a value of Prometheus',
  k8sProbe: 'objects of the cluster',
};
