/** Tone of a state, shown by shape, word and colour: never by colour alone. */
type Tone = 'good' | 'bad' | 'warning' | 'active' | 'quiet';

/** Shape of a verdict or state, distinguishable without colour. */
export type Shape = 'check' | 'cross' | 'triangle' | 'square' | 'ring' | 'play' | 'dash';

/** Presentation of a state. */
interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

const STATES: readonly (readonly [names: readonly string[], tone: Tone, shape: Shape])[] = [
  [['Pass', 'Passed', 'Succeeded', 'Completed', 'Connected'], 'good', 'check'],
  [['Fail', 'Failed'], 'bad', 'cross'],
  [['Completed_With_Probe_Failure'], 'bad', 'cross'],
  [['Error', 'Completed_With_Error', 'Could not run'], 'bad', 'triangle'],
  [['Stopped', 'Terminated', 'Timeout', 'Disconnected'], 'warning', 'square'],
  // States of engines are in lower case; a completed engine has not necessarily passed.
  [['Running', 'initialized'], 'active', 'play'],
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

/** Presentation of a verdict, or of the phase of a run or a workflow node. Unknown values keep their own word. Pure. */
export function stateWords(state: string): StateWords {
  const [, tone, shape] = STATES.find(([names]) => names.includes(state)) ?? [[], 'quiet', 'dash'];
  return { word: SPOKEN[state] ?? (state === '' ? 'Pending' : state), tone, shape } as StateWords;
}
