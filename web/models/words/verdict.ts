import { type RunState, type StateTone, stateRow } from '../../../src/services/report/outcome/run-states.ts';

/** Shape of a verdict or state, distinguishable without colour. */
export type Shape = 'check' | 'cross' | 'triangle' | 'square' | 'ring' | 'play' | 'dash';

/** Presentation of a state. */
interface StateWords {
  readonly word: string;
  /** Shown by shape, word and colour: never by colour alone. */
  readonly tone: StateTone;
  readonly shape: Shape;
}

const STATES: readonly (readonly [names: readonly string[], tone: StateTone, shape: Shape])[] = [
  [['Pass', 'Passed', 'Succeeded', 'Completed', 'Connected'], 'good', 'check'],
  [['Fail', 'Failed'], 'bad', 'cross'],
  [['Completed_With_Probe_Failure'], 'bad', 'cross'],
  [['Error', 'Completed_With_Error', 'Could not run'], 'bad', 'triangle'],
  [['Stopped', 'Terminated', 'Timeout', 'Disconnected'], 'warning', 'square'],
  // Phases of engines are in lower case; a completed engine has not necessarily passed.
  [['Running', 'initialized'], 'quiet', 'play'],
  [['stopped'], 'warning', 'square'],
  [['Awaited', 'Queued', 'Pending'], 'quiet', 'ring'],
];

/** Short words for long or unusual values in the data. */
const SPOKEN: Readonly<Record<string, string>> = {
  Completed_With_Probe_Failure: 'Completed, probes failed',
  Completed_With_Error: 'Completed with errors',
  initialized: 'Running',
  completed: 'Completed',
  stopped: 'Stopped',
  NA: 'N/A',
  Skipped: 'Skipped',
  Omitted: 'Omitted',
};

/** Shapes of the states of runs. */
const SHAPES: Readonly<Record<RunState, Shape>> = {
  ...{ queued: 'ring', pending: 'ring', waiting: 'ring', blocked: 'triangle' },
  ...{ starting: 'play', running: 'play', checking: 'play', chaos: 'play', reverting: 'play' },
  ...{ stopping: 'square', stopped: 'square', stoppedAlone: 'square' },
  ...{ passed: 'check', unchecked: 'dash', skipped: 'dash', dryRun: 'dash' },
  ...{ failedByProbe: 'cross', failedByStep: 'cross', failed: 'cross' },
  ...{ error: 'triangle', notSteady: 'triangle', refused: 'triangle', cannotStart: 'triangle' },
};

/** Presentation of the state of a run, of a verdict, or of the phase of a workflow node. Unknown values keep their own word. Pure. */
export function stateWords(state: string): StateWords {
  const row = stateRow(state);
  if (row !== undefined) return { word: row.label, tone: row.tone, shape: SHAPES[state as RunState] };
  const [, tone, shape] = STATES.find(([names]) => names.includes(state)) ?? [[], 'quiet', 'dash'];
  return { word: SPOKEN[state] ?? (state === '' ? 'Pending' : state), tone, shape } as StateWords;
}

/** Whether a run in that state goes on: it can be stopped, and has no score. Pure. */
export function isUnderWay(state: string): boolean {
  const row = stateRow(state);
  return row !== undefined && row.exitCode === undefined;
}

/** Whether a run in that state has passed, checked or not. Pure. */
export function hasPassed(state: string): boolean {
  return stateRow(state)?.word === 'Passed';
}
