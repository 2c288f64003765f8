/**
 * What an engine sets for an experiment and nothing reads: the one rule for a run, a plan, admission and the operator. Whatever is written is
 * used, refused, or told.
 */

import { editDistance } from '@turnsole/kube/schema/suggest';
import type { ChaosEngine } from '../../api/schema/engine.ts';
import type { ChaosExperiment } from '../../api/schema/experiment.ts';
import { composeExperimentEnv, handoutOf, type OperatorHandout } from '../experiment-env.ts';
import { faultNameOf } from '../fault-name.ts';
import generated from '../generated/fault-settings.json' with { type: 'json' };
import { isOfPrograms, UNUSED_VARIABLES } from './accepted-variables.ts';
import { RETIRED_VARIABLES } from './retired-variables.ts';

/** Something that was written and is not used. */
export interface Unread {
  /** `spec.experiments[0].spec.components.env[2]`. */
  readonly path: string;
  readonly message: string;
  /** A known name but for a slip: a mistake, which is refused where a refusal is possible. */
  readonly isMistake: boolean;
}

/** Where to look. */
interface UnreadInput {
  readonly engine: ChaosEngine;
  /** Of the entry in the engine. */
  readonly position: number;
  /** Undefined: not read; then everything counts that a ChaosExperiment might settle. */
  readonly experiment: ChaosExperiment | undefined;
  /** @default none is known */
  readonly operator?: OperatorHandout;
}

/** The variables of an engine's entry that change nothing, and why. Pure. */
export function unreadSettings(input: UnreadInput): Unread[] {
  const { engine, position, experiment } = input;
  const entry = engine.spec.experiments[position];
  if (entry === undefined) return [];
  const faultName = experiment === undefined ? entry.name : faultNameOf(experiment);
  const fault = settingsOfFault(faultName);
  // The experiment of somebody else reads what it likes.
  if (fault === undefined && experiment !== undefined) return [];
  const declared = (experiment?.spec.definition.env ?? []).map(({ name }) => name);
  const settings = [...COMMON_SETTING_NAMES, ...(fault?.own ?? [])];
  const asked = JSON.stringify(entry.spec?.probe ?? []);
  const overruled = overruledBy(input);
  return (entry.spec?.components?.env ?? []).flatMap(({ name, value, valueFrom }, index) => {
    const path = `spec.experiments[${position}].spec.components.env[${index}]`;
    const told = (message: string, isMistake = false): Unread[] => [{ path, message, isMistake }];
    const isSet = (value ?? '') !== '' || Boolean(valueFrom);
    const over = overruled.get(name);
    if (over !== undefined) return told(over);
    if (declared.includes(name) || !isSet) return [];
    const reason = Object.hasOwn(UNUSED_VARIABLES, name) ? UNUSED_VARIABLES[name] : undefined;
    if (reason !== undefined) return told(`${name} is accepted and changes nothing: ${reason}`);
    // Probes may use variables of the user's own, and so may programs.
    if (settings.includes(name) || isOfPrograms(name) || asked.includes(name)) return [];
    const retired = Object.hasOwn(RETIRED_VARIABLES, name) ? RETIRED_VARIABLES[name] : undefined;
    if (retired !== undefined && settings.includes(retired.successor)) {
      const { successor, remark, choosesFor } = retired;
      const now = `${successor}${remark === undefined ? '' : `, ${remark}`}`;
      return told(`${name} is a name of LitmusChaos 1 and is not read; write ${now}`, choosesFor.length > 0);
    }
    const meant = likelySettings(settings, declared).find((other) => isSlip(name, other));
    if (meant !== undefined)
      return told(`${name} is no setting of ${faultName}; did you mean ${meant}?`, true);
    return told(
      `${name} is no setting of ${faultName}, and its ChaosExperiment does not declare it: it changes nothing`,
    );
  });
}

/** What the engine sets and another value replaces, by its name. */
function overruledBy({
  engine,
  position,
  experiment,
  operator = {},
}: UnreadInput): ReadonlyMap<string, string> {
  const entry = engine.spec.experiments[position];
  if (entry === undefined) return new Map();
  const { overruled } = composeExperimentEnv({
    engine,
    name: entry.name,
    definition: experiment?.spec.definition ?? {},
    entry,
    position,
    handout: handoutOf(engine, operator),
    pullPolicy: '',
    runId: 'drawn by the runner',
  });
  return new Map(
    overruled.map(({ name, used, by }) => [
      name,
      by === 'the runner'
        ? `${name} is set by the runner, and not by an engine`
        : `${name} is overruled by ${by}: ${JSON.stringify(used)} is used`,
    ]),
  );
}

/** Set by the runner and never by users: a variable of theirs with almost such a name is their own. */
const RUNNER_VARIABLES: readonly string[] = [
  'TARGETS',
  'RUN_ID',
  'POD_NAME',
  'CHAOS_UID',
  'CHAOSENGINE',
  'INSTANCE_ID',
];

function likelySettings(settings: readonly string[], declared: readonly string[]): string[] {
  return [...settings, ...declared].filter((name) => !RUNNER_VARIABLES.includes(name));
}

function isSlip(found: string, meant: string): boolean {
  const plain = (name: string): string => name.toUpperCase().replace(/[-_.]/g, '');
  return editDistance(plain(found), plain(meant)) <= 1;
}

/** The settings of one fault. */
interface FaultSettings {
  /** Its own, beside the common ones. */
  readonly own: readonly string[];
  /** What it hits: `pods`, `containers`, `node`, `nodes`, `workloads` or `none`. */
  readonly targets: string;
}

/** Names of the settings that every experiment has. */
const COMMON_SETTING_NAMES: readonly string[] = generated.common;

const FAULTS: Readonly<Record<string, FaultSettings>> = generated.faults;

/** The settings of a fault; undefined for a name that no fault of Turnsole has. */
function settingsOfFault(name: string): FaultSettings | undefined {
  return Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined;
}
