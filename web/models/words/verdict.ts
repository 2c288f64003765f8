/** How something stands, shown by shape, word and colour: never by colour alone. */
type Tone = 'good' | 'bad' | 'warning' | 'active' | 'quiet';

/** Shape of a verdict or state: each is told apart without its colour. */
export type Shape = 'check' | 'cross' | 'triangle' | 'square' | 'ring' | 'play' | 'dash';

/** What is shown of a state. */
interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

const STATES: readonly (readonly [names: readonly string[], tone: Tone, shape: Shape])[] = [
  [['Pass', 'Passed', 'Succeeded', 'Completed', 'Connected'], 'good', 'check'],
  [['Fail', 'Failed'], 'bad', 'cross'],
  [['Completed_With_Probe_Failure'], 'bad', 'cross'],
  [['Error', 'Completed_With_Error'], 'bad', 'triangle'],
  [['Stopped', 'Terminated', 'Timeout', 'Disconnected'], 'warning', 'square'],
  // Engines say in small letters how they stand; one that is completed has not passed by that.
  [['Running', 'initialized'], 'active', 'play'],
  [['stopped'], 'warning', 'square'],
  [['Awaited', 'Queued', 'Pending'], 'quiet', 'ring'],
];

/** Words that are longer or stranger in the data than a person would say them. */
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

/** How a verdict of a resource, a phase of a run or of a workflow node is shown. What is not known keeps its own word. Pure. */
export function stateWords(state: string): StateWords {
  const [, tone, shape] = STATES.find(([names]) => names.includes(state)) ?? [[], 'quiet', 'dash'];
  return { word: SPOKEN[state] ?? (state === '' ? 'Pending' : state), tone, shape } as StateWords;
}
