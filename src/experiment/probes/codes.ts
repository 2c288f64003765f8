import type { ProbeType } from '../../api/schema/vocabulary.ts';

/** Codes a probe can end with, as they stand in `errorOutput`; the words are upstream's, but for those of sloProbe and loadProbe. */
export type ProbeErrorCode =
  | `${'HTTP' | 'CMD' | 'K8S' | 'PROM' | 'SLO' | 'LOAD'}_PROBE_${'FAILURE' | 'ERROR'}`
  | 'PROBE_TIMEOUT'
  | 'GENERIC_ERROR';

/** Description of a background probe that did not end in time; the words are upstream's. */
export const TIMEOUT_DESCRIPTION = 'Probe is failed due to timeout';
/** Reason of an attempt that took longer than probeTimeout; the words are upstream's. */
export const ATTEMPT_TIMEOUT_REASON = 'probe failed due to timeout';

const PREFIXES = {
  httpProbe: 'HTTP',
  cmdProbe: 'CMD',
  k8sProbe: 'K8S',
  promProbe: 'PROM',
  // Ours: upstream never runs the one and does not know the other, so it has no words for their outcome.
  sloProbe: 'SLO',
  loadProbe: 'LOAD',
} as const;

/** The condition of the probe is not met. */
export function failureCode(type: ProbeType): ProbeErrorCode {
  return `${PREFIXES[type]}_PROBE_FAILURE`;
}

/** The probe could not be evaluated. */
export function errorCode(type: ProbeType): ProbeErrorCode {
  return `${PREFIXES[type]}_PROBE_ERROR`;
}
