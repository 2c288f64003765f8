import { describeForm } from '../../../src/experiment/injection/settings/describe-tunable.ts';
import { parseInterval } from '../../../src/experiment/injection/settings/interval.ts';
import { formatTunable, parseTunables } from '../../../src/experiment/injection/settings/parse-tunables.ts';
import type { Tunable, TunableSchema } from '../../../src/experiment/injection/tunables.ts';
import type { Step } from './draft.ts';
import type { FaultBook } from './known-fault.ts';

/** A setting of a step in the form. */
export interface SettingField {
  readonly name: string;
  /** As written; empty means the default. */
  readonly value: string;
  /** Its type and range; undefined for a setting that only its own hub knows. */
  readonly tunable: Tunable | undefined;
  /** The value if it is empty. */
  readonly fallback: string;
  /** Accepted values, as part of a sentence; empty if unknown. */
  readonly form: string;
  /** The problem of the value. */
  readonly problem: string | undefined;
}

/** Variables that a run sets itself, or that are not for experiments. */
const SET_BY_RUN = new Set([
  ...['EXPERIMENT_NAME', 'CHAOSENGINE', 'CHAOS_NAMESPACE', 'CHAOS_UID', 'INSTANCE_ID', 'RUN_ID', 'POD_NAME'],
  ...[
    'CHAOS_SERVICE_ACCOUNT',
    'TARGETS',
    'DRY_RUN',
    'ANNOTATION_CHECK',
    'ANNOTATION_KEY',
    'ANNOTATION_VALUE',
  ],
  ...['PROTECTED_NAMESPACES', 'SET_HELPER_DATA', 'LIB_IMAGE', 'LIB_IMAGE_PULL_POLICY', 'STATUS_CHECK_DELAY'],
  ...['CONTAINER_RUNTIME', 'SOCKET_PATH'],
]);

/** The settings of a step: those of its fault and those it has already, then those that every fault has. Pure. */
export function settingFields(
  step: Step,
  book: FaultBook | undefined,
): { readonly own: readonly SettingField[]; readonly further: readonly SettingField[] } {
  const table = tableOf(step, book);
  const known = book?.faults[step.fault.name]?.tunables ?? {};
  const own = [...new Set([...Object.keys(step.settings), ...Object.keys(known)])].filter(
    (name) => !SET_BY_RUN.has(name) || (step.settings[name] ?? '') !== '',
  );
  const further = Object.keys(table).filter((name) => !own.includes(name) && !SET_BY_RUN.has(name));
  const field = (name: string): SettingField => fieldOf(name, step, table);
  return { own: own.map(field), further: further.map(field) };
}

/** Problems of the settings of a step, by name. Pure. */
export function settingProblems(step: Step, book: FaultBook | undefined): ReadonlyMap<string, string> {
  const { own, further } = settingFields(step, book);
  return new Map(
    [...own, ...further].flatMap(({ name, problem }) => (problem === undefined ? [] : [[name, problem]])),
  );
}

function tableOf({ fault }: Step, book: FaultBook | undefined): TunableSchema {
  const known = book?.faults[fault.name];
  return book === undefined || known === undefined ? {} : { ...book.common, ...known.tunables };
}

function fieldOf(name: string, step: Step, table: TunableSchema): SettingField {
  const value = step.settings[name] ?? '';
  const tunable = table[name];
  const own = step.fault.defaults.get(name) ?? '';
  const fallback = own === '' && tunable !== undefined ? formatTunable(tunable, tunable.default) : own;
  return {
    name,
    value,
    tunable,
    fallback: fallback === '{}' ? '' : fallback,
    form: tunable === undefined ? '' : describeForm(tunable),
    problem: tunable === undefined ? undefined : problemOf(name, tunable, value, step),
  };
}

/** Tags get their values when the workflow runs, so they cannot be checked here. */
function problemOf(name: string, tunable: Tunable, value: string, { settings }: Step): string | undefined {
  if (value.includes('{{')) return undefined;
  if (name === 'CHAOS_INTERVAL' && /^(1|t|true)$/i.test((settings.RANDOMNESS ?? '').trim())) {
    const interval = parseInterval(value, 0, true);
    return 'expected' in interval && value.trim() !== '' ? `Needs ${interval.expected}` : undefined;
  }
  const [problem] = parseTunables({ [name]: tunable }, { [name]: value }).problems;
  return problem === undefined ? undefined : `Needs ${problem.expected}`;
}
