import type { RecordedStep } from './answer.ts';
import { type Difference, describeDifferences, diff } from './diff.ts';
import type { Target } from './exchange.ts';
import { without } from './pointer.ts';
import { digestOf, type RecordedScenario } from './recording.ts';
import { runScenario, StepError } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

/** A deliberate difference: these places of this step are not compared, and must differ. */
export interface DeliberateDifference {
  readonly scenario: string;
  /** Title of the step; all steps of the title are meant. */
  readonly step: string;
  /** JSON pointers into the answer, `*` for any segment. */
  readonly pointers: readonly string[];
  readonly reason: string;
}

/** A step whose answer differs from the recording. */
export interface StepDifference {
  readonly step: string;
  readonly differences: readonly Difference[];
}

const STEP_LIMIT_MS = 2_000;

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
    const relevant = deliberate.filter((difference) => difference.scenario === scenario.name);
    const steps = compareSteps(recorded.steps, ours, relevant);
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
  deliberate: readonly DeliberateDifference[],
): StepDifference[] {
  return recorded.flatMap((step, index) => {
    const pointers = deliberate
      .filter((difference) => difference.step === step.step)
      .flatMap((difference) => difference.pointers);
    const differences = diff(without(step, pointers), without(plain(ours[index]), pointers));
    return differences.length === 0 ? [] : [{ step: `${index + 1}. ${step.step}`, differences }];
  });
}

/** As it would be read from a recording: without what JSON cannot say. */
function plain(step: RecordedStep | undefined): unknown {
  return step === undefined ? {} : JSON.parse(JSON.stringify(step));
}
