import type { RunCourse } from '../../../src/services/report/course/model.ts';
import { stateNow, stateWordsNow } from '../../../src/services/report/course/run-state.ts';
import { questionOf } from '../../../src/services/report/course/sentences.ts';
import { type Strip, stripOf } from '../../../src/services/report/course/strip.ts';
import { plainText } from '../words/plain.ts';
import { stateWords } from '../words/verdict.ts';
import type { Execution } from './execution.ts';

/** What the head of a run shows at a moment. */
export interface RunNow {
  readonly state: string;
  /** The state with how much of it is over. */
  readonly words: string;
  /** What the run asks; undefined before that is known. */
  readonly question: string | undefined;
  readonly strip: Strip;
}

/** What is known of a run for its head. */
export interface KnownRun {
  readonly course: RunCourse | undefined;
  /** Its agent's report, for agents that tell no more. */
  readonly execution?: Execution | undefined;
  /** The state that the server or the cluster gives it. */
  readonly state: string;
  readonly isRunning: boolean;
}

/** The head of a run at a moment. Pure. */
export function runNow({ course, execution, state, isRunning }: KnownRun, nowMs: number): RunNow {
  if (course === undefined || (course.experiments.length === 0 && execution !== undefined && !isRunning)) {
    const strip =
      isRunning || execution !== undefined ? reportedStrip(execution, isRunning) : stripOf(NOTHING, false, 0);
    return { state, words: stateWords(state).word, question: undefined, strip };
  }
  // Until an experiment has begun, the server knows better whether an agent has taken the run up.
  const isBegun = course.experiments.length > 0 || course.problem !== undefined;
  const isWaiting = !isBegun && (state === 'queued' || state === 'pending');
  const now = isRunning && !isWaiting ? stateNow(course, nowMs) : undefined;
  const question = questionOf(course);
  return {
    state: now?.state ?? state,
    words: now === undefined ? stateWords(state).word : stateWordsNow(now, nowMs),
    question: question === undefined ? undefined : plainText(question),
    strip: stripOf(course, isRunning, nowMs),
  };
}

const NOTHING: RunCourse = { aim: '', experiments: [], isStopping: false };

/** The strip of a run whose agent reports neither times nor numbers. */
function reportedStrip(execution: Execution | undefined, isRunning: boolean): Strip {
  const engines = (execution?.nodes ?? []).flatMap(({ engine }) => engine ?? []);
  const targets = engines.flatMap((engine) => engine.targets);
  const probes = engines.flatMap((engine) => engine.probes);
  const passed = probes.filter(({ verdict }) => verdict === 'Passed').length;
  const failed = probes.some(({ verdict }) => verdict === 'Failed');
  const open =
    execution?.nodes.some(({ engine, endMs }) => engine !== undefined && endMs === undefined) === true;
  const counts = probes.length === 0 ? '' : `${passed} of ${probes.length} checks`;
  const answer = failed ? 'failed' : passed > 0 ? 'held' : isRunning ? 'not known yet' : 'was not asked';
  return [
    {
      ...{ name: 'Chaos', tone: 'quiet' },
      answer: isRunning ? (open ? 'not known' : 'not in force') : 'over',
      more: isRunning && open ? 'its agent reports no times' : '',
    },
    {
      ...{ name: 'Hit', tone: 'quiet', more: '' },
      answer:
        targets.length === 0
          ? 'nothing is reported'
          : `${targets.length} ${targets.length === 1 ? 'target' : 'targets'}`,
    },
    { name: 'Application', tone: failed ? 'bad' : passed > 0 ? 'good' : 'quiet', answer, more: counts },
  ];
}
