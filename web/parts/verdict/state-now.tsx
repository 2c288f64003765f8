import type { ReactElement } from 'react';
import { stateWordsNow } from '../../../src/services/report/course/run-state.ts';
import { type RunState, stateRow } from '../../../src/services/report/outcome/run-states.ts';
import { useNow } from '../time/use-now.ts';
import { Verdict } from './verdict.tsx';

/** The state of a run in a list, in the form of the API. */
interface ListedState {
  readonly state: string;
  /** Unix milliseconds, as text. */
  readonly since: string | null;
  readonly seconds: number | null;
}

/** The state of a run; one that has a length says how much of it is over. */
export function StateNow({
  now: { state, since, seconds },
  title,
}: {
  readonly now: ListedState;
  readonly title?: string | undefined;
}): ReactElement {
  const isTimed = since !== null && stateRow(state) !== undefined;
  const nowMs = useNow(isTimed);
  if (!isTimed) return <Verdict state={state} title={title} />;
  const timed = {
    state: state as RunState,
    sinceMs: Number(since),
    ...(seconds !== null && { limitMs: seconds * 1000 }),
  };
  return <Verdict state={state} words={stateWordsNow(timed, nowMs)} title={title} />;
}
