/**
 * The types of probes: one file for each, and this list. Schemas, codes, errors, programs and page take from it what they know of types;
 * src/api/README.md says what a new one needs.
 */

import { cmdProbe } from './cmd-probe.ts';
import type { ProbeTypeDescriptor } from './descriptor.ts';
import { httpProbe } from './http-probe.ts';
import { k8sProbe } from './k8s-probe.ts';
import { loadProbe } from './load-probe.ts';
import { promProbe } from './prom-probe.ts';
import { sloProbe } from './slo-probe.ts';

const TYPES = [httpProbe, cmdProbe, k8sProbe, promProbe, sloProbe, loadProbe] as const;

type Descriptor = (typeof TYPES)[number];
type ProjectDescriptor = Extract<Descriptor, { readonly project: object }>;

/** What a probe looks at; its inputs stand under `<type>/inputs`. */
export type ProbeType = Descriptor['name'];
/** A type that projects of a control plane keep. */
export type ProjectProbeType = ProjectDescriptor['name'];
/** Begin of the codes of a type. */
export type ProbeCode = Descriptor['code'];
/** What ChaosCenter's API calls a type's properties. */
type ProjectTerms<T extends ProjectProbeType> = Extract<Descriptor, { readonly name: T }>['project'];

/** What is known of every type, in the order in which they are listed. */
export const PROBE_DESCRIPTORS: readonly (ProbeTypeDescriptor & Pick<Descriptor, 'name' | 'code'>)[] = TYPES;

/** The names of all types. */
export const PROBE_TYPES: readonly ProbeType[] = TYPES.map(({ name }) => name);

/** What is known of a type. Pure. */
export function probeDescriptor(type: ProbeType): (typeof PROBE_DESCRIPTORS)[number] {
  const found = PROBE_DESCRIPTORS.find(({ name }) => name === type);
  if (found === undefined) throw new Error(`no descriptor of the probe type ${type} in src/api/probe-types`);
  return found;
}

/** The noun for measurements of these types together: requests only where all are. Pure. */
export function measurementNoun(types: readonly string[]): 'request' | 'measurement' {
  const asks = (type: string): boolean =>
    PROBE_DESCRIPTORS.some(({ name, measures }) => name === type && measures === 'request');
  return types.every(asks) ? 'request' : 'measurement';
}

/** Types that a server may have measured outside of a run without anybody's leave. */
export const TRIED_BY_DEFAULT: readonly ProbeType[] = PROBE_DESCRIPTORS.filter(
  ({ trial }) => trial === 'always',
).map(({ name }) => name);

function hasProject(type: Descriptor): type is ProjectDescriptor {
  return 'project' in type;
}

/** Names of the types that projects keep: those of ChaosCenter's API. */
export const PROJECT_PROBE_TYPES: readonly ProjectProbeType[] = TYPES.filter(hasProject).map(
  ({ name }) => name,
);

/** What ChaosCenter's API calls a type that projects keep, and what it requires of it. Pure. */
export function projectTermsOf<T extends ProjectProbeType>(type: T): ProjectTerms<T> {
  const found = TYPES.filter(hasProject).find(({ name }) => name === type);
  if (found === undefined) throw new Error(`projects keep no probes of type ${type}`);
  // The name chooses the descriptor, which the compiler cannot see.
  return found.project as ProjectTerms<T>;
}
