import { humanTime } from '@turnsole/kube/text/human-time';
import type { StateTone } from '../outcome/run-states.ts';
import type { ExperimentCourse, HitGroup, ProbeCourse, RunCourse, WorkloadCourse } from './model.ts';
import { recoveriesOf } from './recoveries.ts';

/** One answer of the strip above a run. */
interface StripCell {
  readonly name: 'Chaos' | 'Hit' | 'Application';
  readonly tone: StateTone;
  /** The answer in a few words. */
  readonly answer: string;
  /** More of it; empty where the answer says all. */
  readonly more: string;
}

/** The three answers, always all of them and in this order. */
export type Strip = readonly [chaos: StripCell, hit: StripCell, application: StripCell];

/** Is chaos in force, what was hit, does the application answer? At a moment of a run, or after its end. Pure. */
export function stripOf(course: RunCourse, isRunning: boolean, nowMs: number): Strip {
  return [
    chaosCell(course, isRunning, nowMs),
    hitCell(course, isRunning, nowMs),
    applicationCell(course, isRunning, nowMs),
  ];
}

/** The experiment that the cell `Chaos` and the question are about: the one in chaos, else the last that was in chaos, else the last. Pure. */
export function toldExperiment({ experiments }: RunCourse): ExperimentCourse | undefined {
  return (
    experiments.findLast(
      (one) => one.chaosMs !== undefined && one.chaosEndMs === undefined && one.endMs === undefined,
    ) ??
    experiments.findLast(({ chaosMs }) => chaosMs !== undefined) ??
    experiments.at(-1)
  );
}

function chaosCell(course: RunCourse, isRunning: boolean, nowMs: number): StripCell {
  const cell = (tone: StateTone, answer: string, more = ''): StripCell => ({
    name: 'Chaos',
    tone,
    answer,
    more,
  });
  const open = course.experiments.flatMap(({ hits }) => hits).reduce((sum, group) => sum + group.open, 0);
  if (!isRunning && open > 0) return cell('bad', 'not reverted', `on ${counted(open, 'target')}`);
  const experiment = toldExperiment(course);
  if (experiment?.chaosMs === undefined)
    return isRunning ? cell('quiet', 'not in force yet') : cell('quiet', 'was never in force');
  const { chaosMs, chaosEndMs, abortedMs, endMs, chaosSeconds } = experiment;
  const endedMs = chaosEndMs ?? abortedMs ?? endMs;
  if (!isRunning || endedMs !== undefined) {
    const lasted = endedMs === undefined ? '' : `after ${seconds(endedMs - chaosMs)}`;
    return open > 0
      ? cell('active', 'being reverted', `on ${counted(open, 'target')}`)
      : cell('quiet', 'over', lasted);
  }
  const since = Math.max(0, nowMs - chaosMs);
  if (chaosSeconds === undefined) return cell('active', 'in force', `for ${seconds(since)}`);
  if (since < chaosSeconds * 1000)
    return cell('active', 'in force', `${Math.floor(since / 1000)} of ${seconds(chaosSeconds * 1000)}`);
  return open > 0
    ? cell('active', 'being reverted', `on ${counted(open, 'target')}`)
    : cell('quiet', 'over', `after ${seconds(chaosSeconds * 1000)}`);
}

function hitCell({ experiments }: RunCourse, isRunning: boolean, nowMs: number): StripCell {
  const hits = experiments.flatMap((one) => one.hits);
  const workloads = experiments.flatMap((one) => one.workloads);
  const cell = (tone: StateTone, answer: string, more = ''): StripCell => ({
    name: 'Hit',
    tone,
    answer,
    more,
  });
  const [first] = hits;
  if (first === undefined) return cell('quiet', isRunning ? 'nothing yet' : 'nothing was hit');
  const groups = [...Map.groupBy(hits, ({ kind, of }) => JSON.stringify([kind, of])).values()];
  const answer = groups
    .slice(0, 2)
    .map((own) => hitWords(own, workloads))
    .join(', ');
  const more = groups.length > 2 ? ` and ${groups.length - 2} more` : '';
  const { tone, words } = backWords(workloads, isRunning, nowMs);
  return cell(tone, `${answer}${more}`, words);
}

/**
 * `2 of 3 pods of web`; where more were hit than there are at once, their number alone. Where several experiments
 * have hit pods of one workload, these may be the same pods, so the cell counts hits: `pods of web, 6 times`.
 */
function hitWords([first, ...others]: readonly HitGroup[], workloads: readonly WorkloadCourse[]): string {
  if (first === undefined) return '';
  const { kind, of, objects } = first;
  if (others.length > 0) {
    const times = others.reduce((sum, group) => sum + group.times, first.times);
    return `${kind}s${of === undefined ? '' : ` of ${of}`}, ${times} times`;
  }
  const before = workloads.find(({ name }) => name === of)?.before ?? 0;
  const share = before >= objects ? `${objects} of ${counted(before, kind)}` : counted(objects, kind);
  return of === undefined ? share : `${share} of ${of}`;
}

function backWords(
  workloads: readonly WorkloadCourse[],
  isRunning: boolean,
  nowMs: number,
): { readonly tone: StateTone; readonly words: string } {
  const all = workloads.flatMap(recoveriesOf);
  const open = all.filter(({ toMs }) => toMs === undefined);
  if (open.length > 0) {
    const since = Math.max(0, nowMs - Math.min(...open.map(({ fromMs }) => fromMs)));
    return isRunning
      ? { tone: 'warning', words: `${open.length} coming back, ${seconds(since)}` }
      : { tone: 'bad', words: `${open.length} not back` };
  }
  const took = all.flatMap(({ fromMs, toMs }) => (toMs === undefined ? [] : [toMs - fromMs]));
  if (took.length === 0) return { tone: 'quiet', words: workloads.length === 0 ? '' : 'none was missed' };
  return { tone: 'good', words: `all back, slowest in ${humanTime(Math.max(...took))}` };
}

function applicationCell({ experiments }: RunCourse, isRunning: boolean, nowMs: number): StripCell {
  const cell = (tone: StateTone, answer: string, more = ''): StripCell => ({
    name: 'Application',
    tone,
    answer,
    more,
  });
  const probes = experiments.flatMap((one) => one.probes);
  if (experiments.length === 0) return cell('quiet', isRunning ? 'not asked yet' : 'was not asked');
  if (probes.length === 0) return cell('warning', 'nothing is checked', 'no probe asks it');
  const series = probes.filter(({ measurements = 0 }) => measurements > 0);
  const failing = series.find(({ failingMs }) => failingMs !== undefined);
  const counts = series.length === 0 ? heldWords(probes) : countWords(series);
  if (isRunning && failing?.failingMs !== undefined)
    return cell('bad', `fails for ${seconds(Math.max(0, nowMs - failing.failingMs))}`, counts);
  const failed = probes.filter(({ verdict }) => verdict === 'Failed');
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name).join(', ');
    if (!failed.some((one) => series.includes(one))) return cell('bad', 'failed', names);
    return cell('bad', isRunning ? 'answers again' : 'failed', counts);
  }
  if (series.length === 0 && probes.every(({ verdict }) => verdict === 'Awaited'))
    return cell('quiet', isRunning ? 'not asked yet' : 'was not asked');
  if (!isRunning && !probes.some(({ verdict }) => verdict === 'Passed'))
    return cell('quiet', 'not judged', counts);
  const last = series.find(({ lastMs }) => lastMs !== undefined)?.lastMs;
  const quick = isRunning && last !== undefined ? `, ${humanTime(last)}` : '';
  return cell('good', `${isRunning ? 'answers' : 'held'}${quick}`, counts);
}

/** `28 of 28`. */
function countWords(series: readonly ProbeCourse[]): string {
  const all = series.reduce((sum, probe) => sum + (probe.measurements ?? 0), 0);
  const failed = series.reduce((sum, probe) => sum + (probe.failed ?? 0), 0);
  return `${all - failed} of ${all}`;
}

function heldWords(probes: readonly ProbeCourse[]): string {
  const held = probes.filter(({ verdict }) => verdict === 'Passed').length;
  return `${held} of ${counted(probes.length, 'check')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Running seconds have one digit, so that they do not jump in width. */
function seconds(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s` : humanTime(ms);
}
