import type { Probe } from '../api/schema/probe.ts';
import { PROBE_MODES, PROBE_TYPES, type ProbeMode, type ProbeType } from '../api/schema/vocabulary.ts';
import { type FieldError, invalid, notSupported, required, under } from '../api/validation/field-error.ts';
import type { PathSegment } from '../api/validation/path.ts';
import type { ProbeKind } from './probe-kind.ts';
import { type LoadProbeKind, loadProbeKind } from './registry.ts';
import { type CompiledRunProperties, compileRunProperties } from './run-properties.ts';
import { templateReferences } from './template.ts';

/** A probe that can run. */
export interface CompiledProbe {
  readonly name: string;
  readonly type: ProbeType;
  readonly mode: ProbeMode;
  readonly run: CompiledRunProperties;
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
export interface CompileOptions {
  /** Where the list of probes stands, for messages. */
  readonly path: readonly PathSegment[];
  /** Limit of an attempt when probeTimeout is blank or 0. */
  readonly defaultTimeoutMs: number;
  readonly load: LoadProbeKind;
}

/** Where an engine's experiment holds its probes. */
export const DEFAULT_PATH: readonly PathSegment[] = ['spec', 'probe'];

/** The word of `words` that `text` is in any case, as upstream reads types and modes. */
export function matchWord<W extends string>(words: readonly W[], text: unknown): W | undefined {
  return words.find((word) => word.toLowerCase() === String(text).toLowerCase());
}

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
  for (const [index, probe] of probes.entries()) {
    const report = (error: FieldError): void => {
      problems.push({ index, error: under([...path, index], error) });
    };
    const type = matchWord(PROBE_TYPES, probe.type);
    const mode = matchWord(PROBE_MODES, probe.mode);
    if (type !== undefined && !kinds.has(type)) kinds.set(type, await load(type));
    const kind = type === undefined ? undefined : kinds.get(type);
    const properties = compileRunProperties(probe.runProperties, defaultTimeoutMs);
    if ((probe.name ?? '').trim() === '') report(required(['name'], 'templates and results go by it'));
    if (kind === undefined) report(notSupported(['type'], probe.type, PROBE_TYPES));
    if (mode === undefined) report(notSupported(['mode'], probe.mode, PROBE_MODES));
    properties.problems.forEach(report);
    if (kind === undefined || type === undefined) continue;
    if (isMissing(probe, type)) {
      report(required([inputsKey(type)], `a ${type} needs its inputs`));
      continue;
    }
    (await kind.check(probe)).forEach(report);
    templateProblems(probes, probe, kind).forEach(report);
    if (mode === undefined) continue;
    compiled.push({ name: probe.name, type, mode, run: properties.compiled, kind, source: probe });
  }
  return { compiled, problems };
}

/** `httpProbe/inputs` and so on. */
export function inputsKey<T extends ProbeType>(type: T): `${T}/inputs` {
  return `${type}/inputs`;
}

function isMissing(probe: Probe, type: ProbeType): boolean {
  const inputs: unknown = probe[inputsKey(type)];
  return inputs === undefined || inputs === null;
}

/** References to probes that can never have an output; whether one has passed in time shows only when it is used. */
function templateProblems(probes: readonly Probe[], probe: Probe, kind: ProbeKind): FieldError[] {
  const sources = new Set(
    probes.filter(({ type }) => matchWord(PROBE_TYPES, type) === 'cmdProbe').map(({ name }) => name),
  );
  return kind.templates(probe).flatMap(({ path, text }) =>
    templateReferences(text)
      .filter((name) => !sources.has(name))
      .map((name) => invalid(path, text, `template uses '${name}', which is no cmdProbe of this experiment`)),
  );
}

/**
 * Gives every problem of the probes of an experiment that shows before they run, with paths below `path`. Runs nothing and
 * asks no server, so that `plan` and validation can use it too.
 */
export async function checkProbes(
  probes: readonly Probe[],
  options: { readonly path?: readonly PathSegment[] } = {},
): Promise<readonly FieldError[]> {
  const path = options.path ?? DEFAULT_PATH;
  const { problems } = await compileProbes(probes, { path, defaultTimeoutMs: 0, load: loadProbeKind });
  return problems.map(({ error }) => error);
}
