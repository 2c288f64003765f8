/** Probes from code: the entry of an engine that says the same. */

import type { FieldError } from '@turnsole/kube/schema/field-error';
import { plainErrorBody } from '@turnsole/kube/schema/field-error';
import { formatPath } from '@turnsole/kube/schema/path';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { PROBE_MODES, type ProbeType } from '../../api/index.ts';
import type { Probe as EngineProbe } from '../../api/schema/probe.ts';
import { isLasting } from '../../api/schema/vocabulary.ts';
import { findUnknownFields, unknownFieldText, validate } from '../../api/validation/index.ts';
import { validateProbe } from '../../api/validation/probe.ts';
import { checkOptions, flag, type OptionCheck, oneOf, text, whole } from './check-options.ts';
import { type ChaosProblem, refusedSettings } from './errors.ts';
import { picked } from './picked.ts';
import { durationMs } from './settings/setting-form.ts';
import type { Probe, ProbeOptions } from './types.ts';

const time: OptionCheck = (value) =>
  typeof value === 'string' && durationMs(value) !== undefined
    ? undefined
    : "a time with its unit, such as '1s' or '250ms'";

/** The options that every probe has, with their places in the engine's entry. */
const COMMON: Readonly<Record<keyof ProbeOptions, OptionCheck>> = {
  name: text,
  mode: oneOf(PROBE_MODES),
  every: time,
  timeout: time,
  attempts: whole(1, 10_000),
  pause: time,
  initialDelay: time,
  stopOnFailure: flag,
  tolerance: () => undefined,
};

/** Options of one type alone that are no inputs. */
const FURTHER: Readonly<Partial<Record<ProbeType, Readonly<Record<string, OptionCheck>>>>> = {
  k8sProbe: { data: text },
  sloProbe: { evaluationTimeout: time },
};

/** Options that mean nothing to a type: a load sends at its rate, each request once. */
const WITHOUT: Readonly<Partial<Record<ProbeType, readonly (keyof ProbeOptions)[]>>> = {
  loadProbe: ['every', 'attempts', 'pause'],
};

const TOLERANCE: Readonly<Record<string, OptionCheck>> = {
  failed: (value) =>
    typeof value === 'string' && /^\d+(?:\.\d+)?%$/.test(value) ? undefined : "a share, such as '1%'",
  outage: time,
  p50: time,
  p95: time,
  p99: time,
  max: time,
};

/** Made by builders: what an experiment takes as a probe. */
const made = new WeakSet<object>();

/** Whether a value was made by a probe's builder. */
export function isProbe(value: unknown): value is Probe {
  return typeof value === 'object' && value !== null && made.has(value);
}

/** The builder of a type of probes. */
export function probeBuilder<Options extends ProbeOptions>(type: ProbeType): (options: Options) => Probe {
  return (options) => buildProbe(type, options);
}

/** @throws ChaosError with every problem of the options */
function buildProbe(type: ProbeType, options: ProbeOptions): Probe {
  const schema = inputsSchema(type);
  const further = FURTHER[type] ?? {};
  const inputNames = Object.keys(schema.properties ?? {});
  const inputChecks = Object.fromEntries(inputNames.map((name) => [name, (): undefined => undefined]));
  const without: readonly string[] = WITHOUT[type] ?? [];
  const common = Object.fromEntries(Object.entries(COMMON).filter(([name]) => !without.includes(name)));
  const given = checkOptions(type, options, { ...common, ...further, ...inputChecks }, (all) =>
    Object.hasOwn(all, 'name') ? [] : [{ field: `${type}.name`, message: 'expected a text, found nothing' }],
  );
  if (given.tolerance !== undefined) checkOptions(`${type}.tolerance`, given.tolerance, TOLERANCE);
  const inputs = Object.fromEntries(Object.entries(given).filter(([name]) => inputNames.includes(name)));
  refuseUnknown(type, schema, inputs);
  refuseErrors(type, validate(schema, inputs), ({ segments }) => segments);
  const probe = entryOf(type, given, inputs);
  refuseErrors(type, validateProbe(probe as unknown as EngineProbe), ({ segments }) =>
    optionPath(type, segments),
  );
  Object.freeze(probe);
  made.add(probe);
  return probe;
}

/** Options by the fields of runProperties that they become. */
const OPTION_OF: Readonly<Record<string, string>> = {
  probeTimeout: 'timeout',
  interval: 'pause',
  attempt: 'attempts',
  probePollingInterval: 'every',
};

/** The option that a field of the engine's entry comes from. Pure. */
function optionPath(
  type: ProbeType,
  [first, ...rest]: readonly (string | number)[],
): readonly (string | number)[] {
  if (first === `${type}/inputs`) return rest;
  if (first !== 'runProperties') return first === undefined ? [] : [first, ...rest];
  return rest.map((field) => OPTION_OF[field] ?? field);
}

function entryOf(
  type: ProbeType,
  given: Readonly<Record<string, unknown>>,
  inputs: Readonly<Record<string, unknown>>,
): Probe {
  const { mode = 'Continuous', every, timeout = '5s', attempts = 1, pause = '0s' } = given;
  const runProperties = {
    probeTimeout: timeout,
    interval: pause,
    attempt: attempts,
    ...(every !== undefined || (isLasting(mode) && WITHOUT[type] === undefined)
      ? { probePollingInterval: every ?? '1s' }
      : {}),
    ...picked(given, ['initialDelay', 'evaluationTimeout', 'stopOnFailure']),
  };
  return {
    name: String(given.name),
    type,
    // Its word was checked above.
    mode: mode as Probe['mode'],
    [`${type}/inputs`]: inputs,
    runProperties,
    ...picked(given, ['tolerance', 'data']),
  };
}

function refuseUnknown(type: ProbeType, schema: StructuralSchema, inputs: object): void {
  const problems = findUnknownFields(schema, inputs).map(
    (field): ChaosProblem => ({
      field: formatPath([type, ...field.segments]),
      message: unknownFieldText(field),
    }),
  );
  if (problems.length > 0) throw refusedSettings(problems);
}

function refuseErrors(
  type: string,
  errors: readonly FieldError[],
  place: (error: FieldError) => readonly (string | number)[],
): void {
  const problems = errors.map(
    (error): ChaosProblem => ({ field: formatPath([type, ...place(error)]), message: plainErrorBody(error) }),
  );
  if (problems.length > 0) throw refusedSettings(problems);
}

/** The schema of a probe in an engine, as the definition of the kind has it. */
function probeSchema(): StructuralSchema {
  const engine = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === 'ChaosEngine')?.schema;
  const path = ['spec', 'experiments', '[]', 'spec', 'probe', '[]'];
  const found = path.reduce<StructuralSchema | undefined>(
    (schema, step) => (step === '[]' ? schema?.items : schema?.properties?.[step]),
    engine,
  );
  if (found === undefined) throw new Error(`the definition of ChaosEngine has no ${path.join('.')}`);
  return found;
}

function inputsSchema(type: ProbeType): StructuralSchema {
  const schema = probeSchema().properties?.[`${type}/inputs`];
  if (schema === undefined) throw new Error(`the definition of ChaosEngine has no ${type}/inputs`);
  return schema;
}
