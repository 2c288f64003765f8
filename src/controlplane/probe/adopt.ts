import { equalJson } from '@turnsole/kube/text/json';
import { type KeptProbe, keptProbeOf } from './manifest-probe.ts';
import type { ProbeReference } from './references.ts';
import { withUnits } from './units.ts';

/** Result of turning the probes of an engine into probes of its project. */
interface Adoption {
  readonly references: readonly ProbeReference[];
  /** Probes that the project does not have yet. */
  readonly made: readonly KeptProbe[];
  /** New names of entries of the engine, by index, because the project has a different probe of that name. */
  readonly renamed: ReadonlyMap<number, string>;
}

/**
 * Turns the probes of an engine into probes of the project, so that members see and share them. Uses an existing probe with the
 * same properties: copies of an experiment create no copies of probes. Pure.
 *
 * @param known probes of the project, and those already created from this manifest
 * @param suffix eight characters of the URL alphabet that make a name unique
 */
export function adoptProbes(
  inline: readonly unknown[],
  known: ReadonlyMap<string, KeptProbe>,
  suffix: () => string,
): Adoption {
  const names = new Map(known);
  const references: ProbeReference[] = [];
  const made: KeptProbe[] = [];
  const renamed = new Map<number, string>();
  for (const [index, entry] of inline.entries()) {
    const found = keptProbeOf(entry);
    if (found === undefined) continue;
    const probe = { ...found, body: withUnits(found.body, found.type) };
    const name = nameFor(probe, names, suffix);
    if (name !== probe.name) renamed.set(index, name);
    if (!names.has(name)) {
      made.push({ ...probe, name });
      names.set(name, { ...probe, name });
    }
    references.push({ name, mode: modeOf(entry) });
  }
  return { references, made, renamed };
}

/** The form of a drawn suffix. */
const SUFFIX = /^[\w-]{8}$/;

function nameFor(
  { name, type, body }: KeptProbe,
  names: ReadonlyMap<string, KeptProbe>,
  suffix: () => string,
): string {
  const isTaken = (other: string): boolean => {
    const probe = names.get(other);
    return probe !== undefined && (probe.type !== type || !equalJson(probe.body, body));
  };
  if (!isTaken(name)) return name;
  // Made from an earlier manifest with the same probe: runs of both report it under one name.
  const isMade = (other: string): boolean =>
    other.startsWith(`${name}-`) && SUFFIX.test(other.slice(name.length + 1)) && !isTaken(other);
  return [...names.keys()].find(isMade) ?? `${name}-${suffix()}`;
}

function modeOf(entry: unknown): string {
  const { mode } = entry as { readonly mode?: unknown };
  return typeof mode === 'string' ? mode : '';
}
