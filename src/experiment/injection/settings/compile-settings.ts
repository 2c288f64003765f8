import type { Random } from '@turnsole/kube/base/clock';
import type { Environment } from '@turnsole/kube/text/environment';
import { retiredTargets } from '../../../chaos/unread/retired-variables.ts';
import { SettingsError } from '../errors.ts';
import type { Fault } from '../fault.ts';
import type { TunableSchema, Tunables } from '../tunables.ts';
import { COMMON_TUNABLES, type CommonTunables } from './common-tunables.ts';
import { type Interval, parseInterval } from './interval.ts';
import { parseTargets, type TargetEntry } from './parse-targets.ts';
import { describeTunableProblem, parseTunables, type TunableProblem } from './parse-tunables.ts';

/** All settings of an experiment, with all values present and units converted. */
export interface ExperimentSettings {
  readonly fault: string;
  /** Name for result, Events and the probes' place in the engine. */
  readonly experiment: string;
  readonly engine: string | undefined;
  readonly namespace: string;
  readonly engineUid: string;
  readonly instanceId: string;
  readonly runId: string;
  readonly podName: string;
  readonly serviceAccount: string | undefined;
  readonly targets: readonly TargetEntry[];
  readonly durationMs: number;
  readonly interval: Interval;
  readonly rampMs: number;
  /** `random` has been decided. */
  readonly sequence: 'serial' | 'parallel';
  readonly interPodKillIntervalMs: number;
  readonly statusCheckTimeoutMs: number;
  readonly defaultHealthCheck: boolean;
  readonly auxiliaryApps: string;
  /** Common and the fault's own settings by variable name. */
  readonly tunables: Tunables<CommonTunables> & Tunables<TunableSchema>;
}

/** Settings, or what is wrong with them; with problems the settings hold defaults and serve only to report. */
export interface CompiledSettings {
  readonly settings: ExperimentSettings;
  readonly problems: readonly TunableProblem[];
}

/** The table of a fault: the common settings with its own over them. */
export function tunablesOf(fault: Pick<Fault, 'tunables'>): TunableSchema {
  return { ...COMMON_TUNABLES, ...fault.tunables };
}

/** Gives the settings of one run out of the environment, and every problem with it. Pure but for `random`. */
export function compileSettings(
  fault: Pick<Fault, 'name' | 'tunables' | 'validate'> & Partial<Pick<Fault, 'targets'>>,
  env: Environment,
  random: Random,
): CompiledSettings {
  const table = tunablesOf(fault);
  const randomness = /^(1|t|true)$/i.test((env.RANDOMNESS ?? '').trim());
  // With RANDOMNESS the interval has a syntax of its own and is not the schema's to judge.
  const parsed = parseTunables(table, randomness ? { ...env, CHAOS_INTERVAL: '' } : env, random);
  // `table` holds every common setting with its common type: faults override defaults, never types.
  const values = parsed.values as Tunables<CommonTunables> & Tunables<TunableSchema>;
  const problems = [...parsed.problems];
  // Rules between settings are only asked for settings that can be read.
  if (problems.length === 0) problems.push(...(fault.validate?.(values) ?? []));
  problems.push(...retiredProblems(fault.targets, Object.keys(table), env));
  const interval = parseInterval(env.CHAOS_INTERVAL, values.CHAOS_INTERVAL, randomness);
  if ('expected' in interval) problems.push(interval);
  const targets = parseTargets(values.TARGETS);
  problems.push(...targets.problems.map(({ found, expected }) => ({ variable: 'TARGETS', found, expected })));
  const sequence = values.SEQUENCE === 'random' ? (random() < 0.5 ? 'serial' : 'parallel') : values.SEQUENCE;
  return {
    problems,
    settings: {
      fault: fault.name,
      experiment: values.EXPERIMENT_NAME === '' ? fault.name : values.EXPERIMENT_NAME,
      engine: values.CHAOSENGINE === '' ? undefined : values.CHAOSENGINE,
      namespace: values.CHAOS_NAMESPACE,
      engineUid: values.CHAOS_UID,
      instanceId: values.INSTANCE_ID,
      runId: values.RUN_ID === '' ? drawRunId(random) : values.RUN_ID,
      podName: values.POD_NAME,
      serviceAccount: values.CHAOS_SERVICE_ACCOUNT === '' ? undefined : values.CHAOS_SERVICE_ACCOUNT,
      targets: targets.entries,
      durationMs: values.TOTAL_CHAOS_DURATION * 1000,
      interval: 'expected' in interval ? { lowMs: 0, highMs: 0 } : interval,
      rampMs: values.RAMP_TIME * 1000,
      sequence: sequence === 'serial' ? 'serial' : 'parallel',
      interPodKillIntervalMs: values.INTER_POD_KILL_INTERVAL_SECONDS * 1000,
      statusCheckTimeoutMs: values.STATUS_CHECK_TIMEOUT * 1000,
      defaultHealthCheck: values.DEFAULT_HEALTH_CHECK,
      auxiliaryApps: values.AUXILIARY_APPINFO,
      tunables: values,
    },
  };
}

/** Nothing may be hit because the name of its setting is an old one: what was written would be passed over. */
function retiredProblems(
  targets: string | undefined,
  settings: readonly string[],
  env: Environment,
): TunableProblem[] {
  return retiredTargets(env, targets, settings).map(({ name, value, successor }) => ({
    variable: name,
    found: value,
    expected: `this value under the name ${successor}: the name ${name} is one of LitmusChaos 1`,
  }));
}

/** Every problem of an environment as one error. */
export function settingsError(fault: string, problems: readonly TunableProblem[]): SettingsError {
  const list = problems.map(describeTunableProblem).join('; ');
  return new SettingsError(
    `cannot run ${fault} with these settings: ${list}; correct the env of the experiment in the ChaosEngine or ChaosExperiment`,
  );
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Six characters of `[0-9a-z]`, the form of upstream's run ids. */
export function drawRunId(random: Random): string {
  return Array.from({ length: 6 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');
}
