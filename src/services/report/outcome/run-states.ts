import { EXIT, type ExitCode } from '../../../process/exit-codes.ts';

/** The outcome of a run in a word or two, as lists, tables and messages show it. */
export type OutcomeWord =
  | 'Queued'
  | 'Pending'
  | 'Running'
  | 'Passed'
  | 'Failed'
  | 'Error'
  | 'Could not run'
  | 'Stopped'
  | 'Dry run';

/** How a state looks: `active` only while chaos is in force, `good` only where something was checked. */
export type StateTone = 'good' | 'bad' | 'warning' | 'active' | 'quiet';

/** What a state of a run means to people and programs. */
interface StateRow {
  /** What it is called. */
  readonly label: string;
  readonly tone: StateTone;
  /** Its word in the API, which is coarser. */
  readonly word: OutcomeWord;
  /** What a command ends with; absent while the run is under way. */
  readonly exitCode?: ExitCode;
}

/**
 * Every state that a run can be in: the page, lists, exports, notifications and exit codes go by this table. Which state a run under way is
 * in decides `course/run-state.ts`; how one ended, `outcome.ts`.
 */
export const RUN_STATES = {
  queued: { label: 'Queued', tone: 'quiet', word: 'Queued' },
  pending: { label: 'Pending', tone: 'quiet', word: 'Pending' },
  starting: { label: 'Starting', tone: 'quiet', word: 'Running' },
  running: { label: 'Running', tone: 'quiet', word: 'Running' },
  /** Tried again: the operator gives the run up when the cause stays. */
  blocked: { label: 'Cannot start', tone: 'bad', word: 'Running' },
  waiting: { label: 'Waiting for the application', tone: 'quiet', word: 'Running' },
  chaos: { label: 'Chaos in force', tone: 'active', word: 'Running' },
  reverting: { label: 'Reverting', tone: 'active', word: 'Running' },
  checking: { label: 'Checking', tone: 'quiet', word: 'Running' },
  stopping: { label: 'Stopping', tone: 'warning', word: 'Running' },
  passed: { label: 'Passed', tone: 'good', word: 'Passed', exitCode: EXIT.pass },
  unchecked: { label: 'Nothing was checked', tone: 'quiet', word: 'Passed', exitCode: EXIT.pass },
  failedByProbe: { label: 'Failed by a probe', tone: 'bad', word: 'Failed', exitCode: EXIT.fail },
  failedByStep: { label: 'Failed by a step', tone: 'bad', word: 'Failed', exitCode: EXIT.fail },
  failed: { label: 'Failed', tone: 'bad', word: 'Failed', exitCode: EXIT.fail },
  error: { label: 'Error', tone: 'bad', word: 'Error', exitCode: EXIT.fail },
  /** The application was broken before the fault. */
  notSteady: { label: 'Not steady before chaos', tone: 'bad', word: 'Error', exitCode: EXIT.notSteady },
  refused: { label: 'Refused', tone: 'bad', word: 'Could not run', exitCode: EXIT.couldNotRun },
  cannotStart: { label: 'Could not start', tone: 'bad', word: 'Could not run', exitCode: EXIT.couldNotRun },
  stopped: { label: 'Stopped', tone: 'warning', word: 'Stopped', exitCode: EXIT.aborted },
  /** Not by who stopped the whole run. */
  stoppedAlone: { label: 'Stopped', tone: 'warning', word: 'Stopped', exitCode: EXIT.fail },
  skipped: { label: 'Skipped', tone: 'quiet', word: 'Could not run', exitCode: EXIT.couldNotRun },
  dryRun: { label: 'Dry run', tone: 'quiet', word: 'Dry run', exitCode: EXIT.dryRun },
} as const satisfies Readonly<Record<string, StateRow>>;

/** One of {@link RUN_STATES}. */
export type RunState = keyof typeof RUN_STATES;

/** What a state means; undefined for a word that is no state of a run. Pure. */
export function stateRow(state: string): StateRow | undefined {
  return Object.hasOwn(RUN_STATES, state) ? RUN_STATES[state as RunState] : undefined;
}

/** State and word of a run under way, by the phase that its agent or the server gives it. Pure. */
export function underWay(phase: string): { readonly state: RunState; readonly word: OutcomeWord } {
  const state = phase === 'Queued' ? 'queued' : phase === 'Running' ? 'running' : 'pending';
  return { state, word: RUN_STATES[state].word };
}

/** The state of an outcome that was stored with its word alone. Pure. */
export function stateOfWord(word: OutcomeWord, by: 'chaos' | 'run', isScored: boolean): RunState {
  switch (word) {
    case 'Passed':
      return isScored ? 'passed' : 'unchecked';
    case 'Failed':
      return by === 'run' ? 'failedByStep' : isScored ? 'failedByProbe' : 'failed';
    case 'Error':
      return 'error';
    case 'Could not run':
      return 'cannotStart';
    case 'Stopped':
      return 'stopped';
    case 'Dry run':
      return 'dryRun';
    case 'Queued':
    case 'Pending':
    case 'Running':
      return underWay(word).state;
  }
}
