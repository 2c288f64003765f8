import { isObject, parseJson } from '@turnsole/kube/text/json';
import { PROBE_MODES } from '../../api/schema/vocabulary.ts';
import { entryOf, type KeptProbe, type ProbeEntry } from './manifest-probe.ts';
import { withUnits } from './units.ts';

/** Annotation of a ChaosEngine that names probes of the project: a JSON list of {@link ProbeReference}. */
export const PROBE_REFERENCES = 'probeRef';

/** A probe of the project, and when it runs. */
export interface ProbeReference {
  readonly name: string;
  readonly mode: string;
}

/** The references in the text of an annotation; undefined if it is unreadable. What an entry leaves out is an empty text. Pure. */
export function readReferences(text: string): ProbeReference[] | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list)) return undefined;
  const references = list.map(readReference);
  return references.every((reference) => reference !== undefined) ? references : undefined;
}

function readReference(value: unknown): ProbeReference | undefined {
  if (!isObject(value)) return undefined;
  const name = value.name ?? '';
  const mode = value.mode ?? '';
  return typeof name === 'string' && typeof mode === 'string' ? { name, mode } : undefined;
}

/** Why a reference cannot be used; undefined if it can be. Pure. */
export function referenceProblem({ name, mode }: ProbeReference): string | undefined {
  const subject = `annotation ${PROBE_REFERENCES}: ${name === '' ? 'a probe without name' : `probe ${name}`}`;
  if (name === '') return `${subject}; each entry needs the name of a probe of the project`;
  const modes = PROBE_MODES.join(', ');
  if (mode === '') return `${subject} has no mode, which says when it runs: add one of ${modes}`;
  if (PROBE_MODES.some((known) => known === mode)) return undefined;
  return `${subject} has the mode ${JSON.stringify(mode)}, which is none of ${modes}`;
}

/** An engine's probes for a run, and the names of missing ones. */
interface ResolvedProbes {
  readonly probes: readonly ProbeEntry[];
  readonly missing: readonly string[];
}

/**
 * The probes of an engine for a run: its own and those that it names, each once. A probe of the project replaces the
 * engine's copy; the copy runs if the project no longer has the probe. Pure.
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

/** ChaosCenter creates a probe from an inline one under its name with 22 letters appended, and keeps the inline one. */
const MADE_FROM = /^-[\w-]{22}$/;

/** Whether a probe of the project was created from an inline entry. */
function isCopy(inline: unknown, reference: string): boolean {
  if (typeof inline !== 'string') return false;
  return (
    inline === reference ||
    (inline !== '' && reference.startsWith(inline) && MADE_FROM.test(reference.slice(inline.length)))
  );
}
