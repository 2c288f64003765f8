import { humanTime } from '@turnsole/kube/text/human-time';
import { measurementNoun } from '../../../api/probe-types/index.ts';
import { isLasting } from '../../../api/schema/vocabulary.ts';
import { judgesFault } from '../outcome/judged.ts';
import type { ExperimentCourse, HitGroup, ProbeCourse, RunCourse } from './model.ts';
import { recoveriesOf } from './recoveries.ts';
import { toldExperiment } from './strip.ts';
import { counted, doneBy, isReplaced } from './verbs.ts';

/**
 * The question that a run asks: `Pods of web are deleted every 5 s, for 15 s: does http://web:8080/ keep answering?` Undefined before its
 * first experiment has begun. Pure.
 */
export function questionOf(course: RunCourse): string | undefined {
  const { experiments, aim } = course;
  const experiment = experiments.find(({ endMs }) => endMs === undefined) ?? toldExperiment(course);
  if (experiment === undefined) return undefined;
  const { fault, intervalSeconds, chaosSeconds } = experiment;
  const subject = subjectOf(experiment, aim);
  const every = intervalSeconds === undefined ? '' : ` every ${humanTime(intervalSeconds * 1000)}`;
  const long =
    chaosSeconds === undefined ? '' : `${every === '' ? '' : ','} for ${humanTime(chaosSeconds * 1000)}`;
  const [first = '', ...rest] = `${subject} are ${doneBy(fault)}${every}${long}`;
  return `${first.toUpperCase()}${rest.join('')}: ${asked(experiment.probes)}`;
}

function subjectOf({ hits, workloads }: ExperimentCourse, aim: string): string {
  const kind = hits[0]?.kind ?? (workloads.length > 0 ? 'pod' : '');
  const names = namesOf(hits, workloads);
  const of = names === '' ? aim : names;
  return `${kind === '' ? 'targets' : `${kind}s`}${of === '' ? '' : ` of ${of}`}`;
}

function namesOf(hits: readonly HitGroup[], workloads: ExperimentCourse['workloads']): string {
  const names = [...new Set([...hits.flatMap(({ of }) => of ?? []), ...workloads.map(({ name }) => name)])];
  return names.length > 3
    ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
    : names.join(' and ');
}

function asked(probes: readonly ProbeCourse[]): string {
  const [main] = probes.filter(({ mode }) => isLasting(mode));
  const probe = main ?? probes[0];
  if (probe === undefined) return 'nothing is checked, so only an error can fail it.';
  const what = probe.subject?.replace(/^GET /, '') ?? probe.name;
  const others = probes.length - 1;
  const more =
    others === 0 ? '' : `, and ${others === 1 ? 'does one more check' : `do ${others} more checks`} hold`;
  const isAddress = /^https?:/.test(what);
  const once = isAddress ? 'answer' : 'pass';
  const keeps = main === undefined ? once : `keep ${isAddress ? 'answering' : 'passing'}`;
  return `does ${what} ${keeps}${more}?`;
}

/**
 * What a run that passed has shown, without a full stop: `web survived: three pods were deleted, each replaced in 1.4 to 4.2 s, no request
 * failed, slowest 311 ms`. Undefined where nothing was hit. Pure.
 */
export function survivalOf(
  experiments: readonly Pick<ExperimentCourse, 'fault' | 'hits' | 'workloads' | 'probes'>[],
): string | undefined {
  const hit = experiments.filter(({ hits }) => hits.length > 0);
  if (hit.length === 0) return undefined;
  const names = namesOf(
    hit.flatMap(({ hits }) => hits),
    [],
  );
  const who = names === '' ? 'the application' : names;
  const parts = hit.map((one) => [...done(one), ...back(one)].join(', '));
  const checks = hit.flatMap(({ probes }) => probes);
  if (!checks.some(judgesFault)) return parts.join('; ');
  return `${who} survived: ${[parts.join('; '), seen(checks)].filter((part) => part !== '').join(', ')}`;
}

function done({ fault, hits }: Pick<ExperimentCourse, 'fault' | 'hits'>): string[] {
  return hits.map(({ kind, objects, times }) => {
    const again = times > objects && !isReplaced(fault) ? `, ${times} times in all` : '';
    return `${counted(objects, kind)} ${objects === 1 ? 'was' : 'were'} ${doneBy(fault)}${again}`;
  });
}

/** How what was hit came back, as far as pods were seen to be missing. */
function back({ fault, workloads }: Pick<ExperimentCourse, 'fault' | 'workloads'>): string[] {
  const all = workloads.flatMap(recoveriesOf);
  if (all.length === 0) return [];
  const open = all.filter(({ toMs }) => toMs === undefined).length;
  const took = all.flatMap(({ fromMs, toMs }) => (toMs === undefined ? [] : [toMs - fromMs]));
  const verb = isReplaced(fault) ? 'replaced' : 'ready again';
  const [least, most] = [Math.min(...took), Math.max(...took)];
  const within = humanTime(least) === humanTime(most) ? `in ${humanTime(most)}` : `in ${range(least, most)}`;
  const each = took.length === 0 ? [] : [`${took.length === 1 ? '' : 'each '}${verb} ${within}`];
  return [...each, ...(open === 0 ? [] : [`${open} not ${verb} yet`])];
}

/** `1.4 to 4.2 s`, `300 ms to 1.2 s`. */
function range(least: number, most: number): string {
  const [from, to] = [humanTime(least), humanTime(most)];
  const [fromUnit, toUnit] = [from, to].map((text) => text.slice(text.lastIndexOf(' ')));
  return fromUnit === toUnit && !from.includes('min')
    ? `${from.slice(0, from.lastIndexOf(' '))} to ${to}`
    : `${from} to ${to}`;
}

/** What users saw, by the probes that ask again and again; else how many checks held. */
function seen(probes: readonly ProbeCourse[]): string {
  const series = probes.filter(({ measurements = 0 }) => measurements > 0);
  if (series.length === 0) {
    const held = probes.filter(({ verdict }) => verdict === 'Passed').length;
    const missed = probes.some(({ mode }) => isLasting(mode))
      ? ''
      : ', none of them while the fault was in force';
    return `${counted(held, 'check')} of ${probes.length} held${missed}`;
  }
  const noun = measurementNoun(series.map(({ type }) => type));
  const failed = series.reduce((sum, probe) => sum + (probe.failed ?? 0), 0);
  const of = series.reduce((sum, probe) => sum + (probe.measurements ?? 0), 0);
  const slowest = series.flatMap(({ slowestMs }) => slowestMs ?? []);
  return [
    failed === 0 ? `no ${noun} failed` : `${failed} of ${of} ${noun}s failed`,
    ...(slowest.length === 0 ? [] : [`slowest ${humanTime(Math.max(...slowest))}`]),
  ].join(', ');
}
