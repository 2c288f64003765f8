import { isObject } from '@turnsole/kube/text/json';
import { PROJECT_PROBE_TYPES, type ProjectProbeType } from '../../api/probe-types/index.ts';

/** An entry of `spec.experiments[].spec.probe`, as JSON. */
export type ProbeEntry = Readonly<Record<string, unknown>>;

/** A probe of a project, to which engines refer by name. */
export interface KeptProbe {
  readonly name: string;
  readonly type: ProjectProbeType;
  /** The manifest's entry without name, type and mode, including fields that the API does not have. */
  readonly body: ProbeEntry;
}

/** Whether a project can keep a probe of such a type. */
function isProbeType(type: unknown): type is ProjectProbeType {
  return PROJECT_PROBE_TYPES.some((known) => known === type);
}

/** The entry of an engine for a kept probe. Pure. */
export function entryOf({ name, type, body }: KeptProbe, mode: string): ProbeEntry {
  return { name, type, mode, ...body };
}

/** The probe in an inline entry; undefined for a type that projects do not keep, or an entry without a name. Pure. */
export function keptProbeOf(entry: unknown): KeptProbe | undefined {
  if (!isObject(entry)) return undefined;
  const { name, type, mode, ...body } = entry;
  return typeof name === 'string' && name !== '' && isProbeType(type) ? { name, type, body } : undefined;
}
