import type { RunCourse } from '../../../src/services/report/course/model.ts';
import { durationWords } from '../words/duration.ts';
import { plainText } from '../words/plain.ts';
import type { Axis, AxisMark } from './axis.ts';
import { causeOf, reasonWords, saidBy } from './cause.ts';
import { momentWords } from './describe.ts';
import type { Kind } from './kinds.ts';

/** Facts about a run beside its axis. */
export interface RunFacts {
  readonly axis: Axis;
  readonly verdicts: readonly {
    readonly experiment: string;
    readonly verdict: string;
    readonly detail: string;
  }[];
  /** Whether it is unfinished. */
  readonly isRunning: boolean;
  /** How it ended, where that is known: `chaos` where the verdicts decided, which its marks explain best. */
  readonly outcome?:
    | {
        readonly state?: string;
        readonly word: string;
        readonly reason?: string;
        readonly survival?: string;
        readonly by: 'chaos' | 'run';
      }
    | undefined;
  /** Its course, where its objects are known. */
  readonly course?: RunCourse | undefined;
}

/** The first line of a run, and the marks that show it. */
interface Explanation {
  readonly sentence: string;
  /** Numbers of marks, the cause first. */
  readonly evidence: readonly number[];
}

interface Found extends AxisMark {
  readonly id: number;
}

/** The groups of targets and probes. */
const TARGETS = 'Targets';
const PROBES = 'Probes';

/**
 * Why a run ended as it did, always in one sentence. It names the worst first: what is still in force after the end, then the
 * first failed probe with what was in force at that moment, then the cause of a missing verdict. Pure.
 */
export function explain({ axis, verdicts, isRunning, outcome, course }: RunFacts): Explanation {
  const marks = axis.marks.map((mark, id) => ({ ...mark, id })).toSorted((a, b) => a.startMs - b.startMs);
  const ofGroup = (group: string, ...kinds: readonly Kind[]): Found[] =>
    marks.filter(({ lane, kind }) => axis.lanes[lane]?.group === group && kinds.includes(kind));
  const nameOf = ({ lane }: Found): string => axis.lanes[lane]?.name ?? '';
  const hits = ofGroup(TARGETS, 'injected', 'ineffective', 'open');
  const open = ofGroup(TARGETS, 'open');
  const failed = ofGroup(PROBES, 'failure', 'error');
  const decided = !isRunning && outcome?.by === 'run' ? outcome : undefined;
  const problem = isRunning ? course?.problem : undefined;
  if (problem !== undefined && open.length === 0) {
    const todo = problem.todo === undefined ? '' : ` What to do: ${sentencePart(problem.todo)}.`;
    const what = hits.length === 0 ? 'cannot start' : 'cannot go on';
    return { sentence: `It ${what}: ${sentencePart(problem.message)}.${todo}`, evidence: [] };
  }
  if (marks.length === 0 && decided?.reason === undefined)
    return { sentence: 'No step is recorded yet.', evidence: [] };
  if (isRunning) return running(hits, failed, nameOf, axis, course);
  if (open.length > 0) {
    const first = open.slice(0, 2).map(nameOf).join(' and ');
    const more = open.length > 2 ? ` and ${open.length - 2} more` : '';
    return {
      sentence: `The run is over, but what was injected into ${first}${more} was not reverted.`,
      evidence: idsOf(open),
    };
  }
  if (decided?.reason !== undefined) {
    const broken = ofGroup('Steps', 'failure', 'error');
    return { sentence: `${decided.word}: ${sentencePart(decided.reason)}.`, evidence: idsOf(broken) };
  }
  const found = worstVerdict(verdicts);
  const isStopped = decided?.state === 'stopped' || isStoppedByPerson(found);
  const worst = isStopped && found !== undefined ? { ...found, verdict: 'Stopped' } : found;
  const [cause] = failed;
  // If a user stops a run, that is the reason for its end, whatever a probe has found by then.
  if (cause !== undefined && worst?.verdict !== 'Pass' && !isStopped)
    return axis.isExact ? failedProbe(cause, hits, nameOf) : failedSometime(cause, hits, nameOf);
  if (worst !== undefined && worst.verdict !== 'Pass') return withoutProbe(worst, marks, hits);
  const survival = outcome?.survival;
  if (
    survival !== undefined &&
    worst?.verdict === 'Pass' &&
    hits.some(({ kind }) => kind !== 'ineffective')
  ) {
    // Such as that nothing was judged, or not everything.
    const but = outcome?.reason === undefined ? '' : `; ${sentencePart(outcome.reason)}`;
    return { sentence: `${capital(sentencePart(survival))}${but}.`, evidence: [] };
  }
  return passed(hits, ofGroup(PROBES, 'passed'), nameOf);
}

function capital(text: string): string {
  // Names keep their letters: `web survived`.
  return / survived: /.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

function sentencePart(text: string): string {
  return plainText(text).replace(/[.\s]+$/, '');
}

function running(
  hits: readonly Found[],
  failed: readonly Found[],
  nameOf: (mark: Found) => string,
  { lengthMs, isExact }: Axis,
  course: RunCourse | undefined,
): Explanation {
  // Without exact times, a target only shows that its step is running.
  const inForce = hits.filter(({ kind, startMs, endMs }) =>
    isExact ? kind === 'open' : startMs < endMs && endMs >= lengthMs,
  );
  // The strip above says what was hit and what users see; only what it cannot say is left.
  if (course !== undefined && inForce.length === 0 && failed.length === 0)
    return { sentence: '', evidence: [] };
  const what =
    inForce.length > 0
      ? `In force now on ${listed(inForce.map(nameOf))}`
      : hits.length > 0
        ? `${counted(hits.length, 'injection')} so far, none in force now`
        : 'Nothing has been injected yet';
  const [first] = failed;
  const probes =
    first === undefined
      ? 'no probe has failed'
      : `${nameOf(first)} failed${isExact ? ` first ${momentWords(first.startMs)}` : ''}`;
  return { sentence: `${what}; ${probes}.`, evidence: idsOf([...failed.slice(0, 1), ...inForce]) };
}

function failedProbe(cause: Found, hits: readonly Found[], nameOf: (mark: Found) => string): Explanation {
  const before = hits.filter(({ startMs }) => startMs <= cause.startMs);
  const last = before.at(-1);
  const verb = cause.kind === 'error' ? 'could not be evaluated' : 'failed';
  const said = cause.label === '' ? '' : `: ${cause.label.replace(/[.\s]+$/, '')}`;
  const when =
    last === undefined
      ? 'before anything was injected: look at the application or the probe, not at the fault'
      : `${durationWords(cause.startMs - last.startMs)} after ${nameOf(last)} was hit`;
  return {
    sentence: `${nameOf(cause)} ${verb} ${momentWords(cause.startMs)}, ${when}${said}.`,
    evidence: idsOf(last === undefined ? [cause] : [cause, last]),
  };
}

/** The same without times of probes: names what was hit during the same step, without a time. */
function failedSometime(cause: Found, hits: readonly Found[], nameOf: (mark: Found) => string): Explanation {
  const meanwhile = hits.filter(({ startMs, endMs }) => startMs < cause.endMs && endMs > cause.startMs);
  const verb = cause.kind === 'error' ? 'could not be evaluated' : 'failed';
  const said = cause.label === '' ? '' : `: ${cause.label.replace(/[.\s]+$/, '')}`;
  const when =
    meanwhile.length === 0
      ? ', and nothing is known to have been hit'
      : ` while ${listed(meanwhile.map(nameOf))} ${new Set(meanwhile.map(nameOf)).size === 1 ? 'was' : 'were'} hit`;
  return { sentence: `${nameOf(cause)} ${verb}${when}${said}.`, evidence: idsOf([cause, ...meanwhile]) };
}

function withoutProbe(
  { experiment, verdict, detail }: RunFacts['verdicts'][number],
  marks: readonly Found[],
  hits: readonly Found[],
): Explanation {
  const { words, steps } = causeOf(verdict, detail);
  const stepMark = marks.find(({ label }) => steps.some((step) => label.startsWith(`${step}:`)));
  const first = stepMark ?? marks.find(({ kind }) => kind === 'error' || kind === 'failure');
  const without = hits.filter(({ kind }) => kind === 'ineffective');
  const reason = reasonWords(detail);
  const said = reason !== '' ? reason : first === undefined ? '' : saidBy(first);
  const when = verdict === 'Stopped' && stepMark !== undefined ? ` ${momentWords(stepMark.startMs)}` : '';
  const extent = hits.length === 0 ? ' before anything was injected' : '';
  return {
    sentence: `${subjectOf(experiment)} ${words}${when}${extent}${said === '' ? '' : `: ${said}`}.`,
    evidence: idsOf([...(first === undefined ? [] : [first]), ...without]),
  };
}

/** The name of a workflow is drawn for each run, and says nothing. */
function subjectOf(experiment: string): string {
  return experiment.startsWith(OF_WORKFLOW) ? 'The run' : plainText(experiment);
}

/** Whether a user stopped the run. A probe with `stopOnFailure` stops a run as well, and then its failure is the reason. */
function isStoppedByPerson(worst: RunFacts['verdicts'][number] | undefined): boolean {
  return worst?.verdict === 'Stopped' && !/probe/i.test(worst.detail);
}

function passed(
  hits: readonly Found[],
  probes: readonly Found[],
  nameOf: (mark: Found) => string,
): Explanation {
  if (hits.length === 0) return { sentence: 'Nothing was injected.', evidence: [] };
  const targets = new Set(hits.map(nameOf)).size;
  const lanes = new Set(probes.map(nameOf)).size;
  const effect = hits.every(({ kind }) => kind === 'ineffective') ? ' without any effect' : '';
  const checks = lanes === 0 ? 'nothing judged what users saw' : `${counted(lanes, 'probe')} held`;
  return {
    sentence: `${counted(targets, 'target')} ${targets === 1 ? 'was' : 'were'} hit${effect}, and ${checks}.`,
    evidence: effect === '' ? [] : idsOf(hits),
  };
}

/** Begin of the name that a workflow has among the verdicts. */
const OF_WORKFLOW = 'workflow ';

const ORDER = ['Error', 'Fail', 'Stopped', 'N/A', 'Awaited', 'Pass'];

/** Verdicts for phases of workflows, beside those of their engines. */
const OF_PHASES: Readonly<Record<string, string>> = {
  Succeeded: 'Pass',
  Failed: 'Fail',
  Running: 'Awaited',
  Pending: 'Awaited',
};

/** The worst verdict; among equals that of an engine, which is more specific than that of its workflow. */
function worstVerdict(verdicts: RunFacts['verdicts']): RunFacts['verdicts'][number] | undefined {
  const known = verdicts.map((one) => ({ ...one, verdict: OF_PHASES[one.verdict] ?? one.verdict }));
  const rank = ({ verdict, experiment }: (typeof known)[number]): number => {
    const place = ORDER.indexOf(verdict);
    const isWhole = experiment.startsWith(OF_WORKFLOW);
    return (place < 0 ? ORDER.length - 1.75 : place) + (isWhole ? 0.5 : 0);
  };
  return known.toSorted((a, b) => rank(a) - rank(b))[0];
}

function idsOf(marks: readonly Found[]): number[] {
  return marks.map(({ id }) => id);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function listed(names: readonly string[]): string {
  const unique = [...new Set(names)];
  const shown = unique.slice(0, 3).join(', ');
  return unique.length > 3 ? `${shown} and ${unique.length - 3} more` : shown;
}
