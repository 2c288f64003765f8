import type { RecordedStep } from './answer.ts';
import { type Difference, describeDifferences, diff } from './diff.ts';
import type { Target } from './exchange.ts';
import { without } from './pointer.ts';
import { digestOf, type RecordedScenario } from './recording.ts';
import { runScenario, StepError } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

/** What our server does differently on purpose; docs/embedded-cluster.md says so to its users. */
export interface DeliberateDifference {
  /** One sentence or two: what is different, and why. */
  readonly reason: string;
  readonly places: readonly DeliberatePlace[];
}

/** Where a deliberate difference shows: these parts of this answer are not compared, and must differ. */
export interface DeliberatePlace {
  readonly scenario: string;
  /** Number of the answer, from 1, as reports show it. */
  readonly step: number;
  /** JSON pointers into the answer, `*` for any segment. */
  readonly pointers: readonly string[];
}

/** A step whose answer differs from the recording. */
export interface StepDifference {
  readonly step: string;
  readonly differences: readonly Difference[];
}

/** Far more than any step takes; what is waited for in vain is a fault. */
const STEP_LIMIT_MS = 10_000;

/** How our server's answers to a scenario differ from the recorded ones, as text; undefined when they are equal. */
export async function replay(
  scenario: Scenario,
  recorded: RecordedScenario | undefined,
  target: Target,
  deliberate: readonly DeliberateDifference[],
): Promise<string | undefined> {
  if (recorded === undefined) return 'was never recorded; run `npm run conformance:record`';
  if (recorded.digest !== digestOf(scenario))
    return 'changed since it was recorded; run `npm run conformance:record`';
  try {
    const ours = await runScenario(scenario, target, { stepLimitMs: STEP_LIMIT_MS });
    const places = deliberate
      .flatMap((difference) => difference.places)
      .filter((place) => place.scenario === scenario.name);
    const steps = compareSteps(recorded.steps, ours, places);
    const past = places.filter(({ step }) => hasNoDifference(recorded.steps[step - 1], ours[step - 1]));
    if (past.length > 0) return `step ${past[0]?.step} is as recorded now: take it out of differences.ts`;
    if (steps.length === 0) return undefined;
    return steps.map(({ step, differences }) => `${step}\n${describeDifferences(differences)}`).join('\n');
  } catch (error) {
    if (error instanceof StepError) return error.message;
    throw error;
  }
}

/** The steps that differ, deliberate differences left out. */
export function compareSteps(
  recorded: readonly RecordedStep[],
  ours: readonly RecordedStep[],
  deliberate: readonly DeliberatePlace[],
): StepDifference[] {
  return recorded.flatMap((step, index) => {
    const pointers = deliberate
      .filter((place) => place.step === index + 1)
      .flatMap((place) => place.pointers);
    const differences = diff(without(step, pointers), without(plain(ours[index]), pointers));
    return differences.length === 0 ? [] : [{ step: `${index + 1}. ${step.step}`, differences }];
  });
}

function hasNoDifference(recorded: RecordedStep | undefined, ours: RecordedStep | undefined): boolean {
  return diff(recorded, plain(ours)).length === 0;
}

/** As it would be read from a recording: without what JSON cannot say. */
function plain(step: RecordedStep | undefined): unknown {
  return step === undefined ? {} : JSON.parse(JSON.stringify(step));
}
