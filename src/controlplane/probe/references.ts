import { isObject, parseJson } from '../../text/json.ts';
import { entryOf, type KeptProbe, type ProbeEntry } from './manifest-probe.ts';
import { withUnits } from './units.ts';

/** Annotation of a ChaosEngine that names probes of the project: a JSON list of {@link ProbeReference}. */
export const PROBE_REFERENCES = 'probeRef';

/** A probe of the project, and when it runs. */
export interface ProbeReference {
  readonly name: string;
  readonly mode: string;
}

/** The references in the text of an annotation; undefined when it holds none that can be read. Pure. */
export function readReferences(text: string): ProbeReference[] | undefined {
  const list = parseJson(text);
  return Array.isArray(list) && list.every(isReference)
    ? list.map(({ name, mode }) => ({ name, mode }))
    : undefined;
}

function isReference(value: unknown): value is ProbeReference {
  return isObject(value) && typeof value.name === 'string' && typeof value.mode === 'string';
}

/** What an engine's probes are for a run, and which of those it names are not there. */
interface ResolvedProbes {
  readonly probes: readonly ProbeEntry[];
  readonly missing: readonly string[];
}

/**
 * The probes of an engine for a run: those it holds, and those it names, each once. A probe of the project takes the place of the
 * engine's copy; the copy runs where the project has the probe no more. Pure.
 */
export function resolveProbes(
  inline: readonly unknown[],
  references: readonly ProbeReference[],
  kept: ReadonlyMap<string, KeptProbe>,
): ResolvedProbes {
  const probes: ProbeEntry[] = inline.filter(isObject).map((entry) => withUnits(entry));
  const missing: string[] = [];
  for (const { name, mode } of references) {
    const at = probes.findIndex((entry) => isCopy(entry.name, name));
    const probe = kept.get(name);
    if (probe !== undefined) {
      const entry = withUnits(entryOf(probe, mode));
      probes.splice(at < 0 ? probes.length : at, at < 0 ? 0 : 1, entry);
    } else if (at < 0) missing.push(name);
  }
  return { probes, missing };
}

/** ChaosCenter names the probe that it makes of an inline one by that one and 22 letters, and leaves the inline one where it is. */
const MADE_FROM = /^-[\w-]{22}$/;

/** Whether an inline entry is what a probe of the project was made from. */
function isCopy(inline: unknown, reference: string): boolean {
  if (typeof inline !== 'string') return false;
  return (
    inline === reference ||
    (inline !== '' && reference.startsWith(inline) && MADE_FROM.test(reference.slice(inline.length)))
  );
}
