import { type ProbeCode, type ProbeType, probeDescriptor } from '../../api/probe-types/index.ts';

/** Codes a probe can end with, as they stand in `errorOutput`; the words are upstream's, but for those of sloProbe and loadProbe. */
export type ProbeErrorCode = `${ProbeCode}_PROBE_${'FAILURE' | 'ERROR'}` | 'PROBE_TIMEOUT' | 'GENERIC_ERROR';

/** Description of a background probe that did not end in time; the words are upstream's. */
export const TIMEOUT_DESCRIPTION = 'Probe is failed due to timeout';
/** Reason of an attempt that took longer than probeTimeout; the words are upstream's. */
export const ATTEMPT_TIMEOUT_REASON = 'probe failed due to timeout';

/** The condition of the probe is not met. */
export function failureCode(type: ProbeType): ProbeErrorCode {
  return `${probeDescriptor(type).code}_PROBE_FAILURE`;
}

/** The probe could not be evaluated. */
export function errorCode(type: ProbeType): ProbeErrorCode {
  return `${probeDescriptor(type).code}_PROBE_ERROR`;
}
