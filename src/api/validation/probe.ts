import { type FieldError, invalid, notSupported, required, under } from '@turnsole/kube/schema/field-error';
import { PROBE_TYPES } from '../probe-types/index.ts';
import type { Probe, RunProperties } from '../schema/probe.ts';
import { PROBE_MODES } from '../schema/vocabulary.ts';
import { type Path, textOf } from './input-parts.ts';
import { validateLoadRun } from './load.ts';
import { validateInputs } from './probe-inputs.ts';
import { templatedInputs, templateReferences } from './probe-templates.ts';
import { validateTolerance } from './probe-tolerance.ts';
import { validateDuration } from './validate-duration.ts';

/**
 * The rules of probes: those of admission and of the command line, of a plan and of the run. Types, modes and operations are the
 * exact words of the schema, as the definition of ChaosEngines demands.
 *
 * A run reads its engine from a cluster whose definition may be an older, laxer one, so no structure is taken for granted here.
 */

/** All problems of a list of probes; paths begin at `path`. */
export function validateProbes(probes: readonly Probe[] | null | undefined, path: Path): FieldError[] {
  return problemsOfProbes(probes ?? []).flatMap((errors, index) =>
    errors.map((error) => under([...path, index], error)),
  );
}

/**
 * For each probe of a list its problems; paths begin at the probe. Two of one name are right, as upstream has it: each keeps a status of
 * its own.
 */
export function problemsOfProbes(probes: readonly Probe[]): FieldError[][] {
  const sources = new Set(probes.filter(({ type }) => type === 'cmdProbe').map(({ name }) => name));
  return probes.map((probe) => [...validateProbe(probe), ...templateProblems(probe, sources)]);
}

/**
 * All problems of a probe for itself; paths begin at the probe. Texts with templates (`{{ … }}`) are not looked into: what they
 * become is known only when the probe runs.
 */
export function validateProbe(probe: Probe): FieldError[] {
  const { name, type, mode } = probe;
  return [
    ...(textOf(name).trim() === '' ? [required(['name'], 'results and templates go by it')] : []),
    ...(PROBE_MODES.includes(mode) ? [] : [notSupported(['mode'], mode, PROBE_MODES)]),
    ...validateRunProperties(probe.runProperties, ['runProperties']),
    ...validateTolerance(probe),
    ...(PROBE_TYPES.includes(type) ? validateInputs(probe) : [notSupported(['type'], type, PROBE_TYPES)]),
    ...(type === 'loadProbe' ? validateLoadRun(probe) : []),
  ];
}

/** References to probes that can never have an output; whether one has passed in time shows only when it is used. */
function templateProblems(probe: Probe, sources: ReadonlySet<string>): FieldError[] {
  return templatedInputs(probe).flatMap(({ path, text }) =>
    templateReferences(text)
      .filter((name) => !sources.has(name))
      .map((name) => invalid(path, text, `template uses '${name}', which is no cmdProbe of this experiment`)),
  );
}

const DURATIONS = [
  'probeTimeout',
  'interval',
  'probePollingInterval',
  'initialDelay',
  'evaluationTimeout',
] as const;
const COUNTS = ['attempt', 'retry', 'initialDelaySeconds'] as const;
/** Far more tries than a user waits for, and few enough to be counted. */
const MAX_COUNT = 1_000_000;

function validateRunProperties(properties: RunProperties | null | undefined, path: Path): FieldError[] {
  if (properties === undefined || properties === null) {
    return [required(path, 'give at least probeTimeout and interval')];
  }
  const durations = DURATIONS.flatMap((field) => validateDuration(properties[field], [...path, field]));
  const counts = COUNTS.flatMap((field) => {
    const value = properties[field];
    if (value === undefined || (value >= 0 && value <= MAX_COUNT)) return [];
    return [invalid([...path, field], value, `must be a whole number from 0 to ${MAX_COUNT}`)];
  });
  return [...durations, ...counts];
}
