import { isObject } from '../../text/json.ts';

/** The probe types that a project can keep; others (sloProbe) stay where a manifest has them. */
const PROBE_TYPES = ['httpProbe', 'cmdProbe', 'promProbe', 'k8sProbe'] as const;

export type ProbeType = (typeof PROBE_TYPES)[number];

/** What an entry of `spec.experiments[].spec.probe` holds, as JSON. */
export type ProbeEntry = Readonly<Record<string, unknown>>;

/** A probe of a project, by which engines name it. */
export interface KeptProbe {
  readonly name: string;
  readonly type: ProbeType;
  /** The manifest's entry without name, type and mode: nothing that a manifest says is lost, also what the API has no field for. */
  readonly body: ProbeEntry;
}

/** Whether a project can keep a probe of such a type. */
function isProbeType(type: unknown): type is ProbeType {
  return PROBE_TYPES.some((known) => known === type);
}

/** The entry of an engine for a kept probe. Pure. */
export function entryOf({ name, type, body }: KeptProbe, mode: string): ProbeEntry {
  return { name, type, mode, ...body };
}

/** The probe that an inline entry describes; undefined for a type that projects do not keep, or an entry without a name. Pure. */
export function keptProbeOf(entry: unknown): KeptProbe | undefined {
  if (!isObject(entry)) return undefined;
  const { name, type, mode, ...body } = entry;
  return typeof name === 'string' && name !== '' && isProbeType(type) ? { name, type, body } : undefined;
}
