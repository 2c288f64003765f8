import { type Difference, describeDifferences, diff } from '../../harness/diff.ts';
import { without } from '../../harness/pointer.ts';
import type { DeliberatePlace } from '../../harness/replay.ts';
import { type LabCluster, LabError } from './lab.ts';
import type { RecordedOutcome } from './recording.ts';
import { digestOf, runControllerScenario } from './run.ts';
import type { ControllerScenario, Shown } from './scenario.ts';

const RECORD = 'run `npm run conformance:controllers:record`';

/** How a scenario's outcome on our cluster differs from the recorded one, as text; undefined when it does not. */
export async function replayControllerScenario(
  scenario: ControllerScenario,
  recorded: RecordedOutcome | undefined,
  cluster: LabCluster,
  places: readonly DeliberatePlace[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (recorded === undefined) return `was never recorded; ${RECORD}`;
  if (recorded.digest !== digestOf(scenario)) return `changed since it was recorded; ${RECORD}`;
  try {
    const own = places.filter((place) => place.scenario === scenario.name);
    const differing = (index: number): readonly string[] =>
      own.filter(({ step }) => step === index + 1).flatMap(({ pointers }) => pointers);
    const ours = await runControllerScenario(scenario, cluster, recorded.shown, signal, differing);
    return describeOutcome(recorded.shown, ours, own);
  } catch (error) {
    if (error instanceof LabError) return error.message;
    throw error;
  }
}

/** The places where the outcomes differ, deliberate differences left out, as text; undefined when there are none. */
export function describeOutcome(
  recorded: readonly Shown[],
  ours: readonly Shown[],
  places: readonly DeliberatePlace[],
): string | undefined {
  const texts = recorded.flatMap((expected, index) => {
    const all = diff(expected.shown, ours[index]?.shown);
    const deliberate = places.filter(({ step }) => step === index + 1).flatMap(({ pointers }) => pointers);
    if (deliberate.length > 0 && all.length === 0) {
      return [`step ${index + 1} is as recorded now: take it out of differences.ts`];
    }
    const left: Difference[] = diff(
      without(expected.shown, deliberate),
      without(ours[index]?.shown, deliberate),
    );
    return left.length === 0 ? [] : [`${index + 1}. ${expected.step}\n${describeDifferences(left)}`];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}
