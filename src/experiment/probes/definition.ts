import { type FieldError, under } from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import type { ProbeType } from '../../api/probe-types/index.ts';
import type { Probe } from '../../api/schema/probe.ts';
import type { ProbeMode } from '../../api/schema/vocabulary.ts';
import { problemsOfProbes } from '../../api/validation/probe.ts';
import { type CompiledTolerance, compileTolerance } from '../../api/validation/probe-tolerance.ts';
import type { ProbeKind } from './probe-kind.ts';
import { type LoadProbeKind, loadProbeKind } from './registry.ts';
import { type CompiledRunProperties, compileRunProperties } from './run-properties.ts';

/** A probe that can run. */
export interface CompiledProbe {
  readonly name: string;
  readonly type: ProbeType;
  readonly mode: ProbeMode;
  readonly run: CompiledRunProperties;
  /** Undefined for a probe that the first failure fails. */
  readonly tolerance: CompiledTolerance | undefined;
  readonly kind: ProbeKind;
  /** As the engine has it. */
  readonly source: Probe;
}

/** A problem of a probe's definition and whose it is. */
export interface DefinitionProblem {
  readonly index: number;
  readonly error: FieldError;
}

/** Options of {@link compileProbes}. */
interface CompileOptions {
  /** Where the list of probes stands, for messages. */
  readonly path: readonly PathSegment[];
  /** Limit of an attempt when probeTimeout is blank or 0. */
  readonly defaultTimeoutMs: number;
  readonly load: LoadProbeKind;
}

/** Where an engine's experiment holds its probes. */
export const DEFAULT_PATH: readonly PathSegment[] = ['spec', 'probe'];

/**
 * Gives the probes ready to run, or every problem of every definition. Loads the code of the types that occur; each type's
 * instance is shared by its probes. Runs nothing.
 */
export async function compileProbes(
  probes: readonly Probe[],
  { path, defaultTimeoutMs, load }: CompileOptions,
): Promise<{ readonly compiled: readonly CompiledProbe[]; readonly problems: readonly DefinitionProblem[] }> {
  const kinds = new Map<ProbeType, ProbeKind>();
  const compiled: CompiledProbe[] = [];
  const problems: DefinitionProblem[] = [];
  for (const [index, errors] of problemsOfProbes(probes).entries()) {
    const probe = probes[index];
    if (probe === undefined) continue;
    if (errors.length === 0) {
      const { name, type, mode } = probe;
      const kind = kinds.get(type) ?? (await load(type));
      kinds.set(type, kind);
      errors.push(...((await kind.check?.(probe)) ?? []));
      const run = compileRunProperties(probe.runProperties, defaultTimeoutMs);
      const tolerance = compileTolerance(probe.tolerance);
      compiled.push({ name, type, mode, run, tolerance, kind, source: probe });
    }
    problems.push(...errors.map((error) => ({ index, error: under([...path, index], error) })));
  }
  return { compiled, problems };
}

/**
 * Gives every problem of the probes of an experiment that shows before they run, with paths below `path`. Runs nothing and
 * asks no server, so that `plan` can use it too.
 */
export async function checkProbes(
  probes: readonly Probe[],
  options: { readonly path?: readonly PathSegment[] } = {},
): Promise<readonly FieldError[]> {
  const path = options.path ?? DEFAULT_PATH;
  const { problems } = await compileProbes(probes, { path, defaultTimeoutMs: 0, load: loadProbeKind });
  return problems.map(({ error }) => error);
}
