import type {
  ServiceRun,
  ServiceTrend,
  ServiceTrends,
} from '../../../src/controlplane/schema/generated/types.ts';
import { durationWords } from '../words/duration.ts';
import { plainText } from '../words/plain.ts';
import { dayWords } from '../words/time.ts';
import { stateWords } from '../words/verdict.ts';
import { columnsOf } from './period.ts';

/** A workload that can be hit. */
export interface Service extends Pick<ServiceTrend, 'infraID' | 'kind' | 'namespace' | 'name'> {
  /** Selects its pods: `app=web`. */
  readonly label: string;
}

type Span = { readonly fromMs: number; readonly toMs: number };

/** `3 services were tried in 14 runs; 1 got worse: shop/web.` Pure. */
export function headSentence({ services, runs, withoutService }: ServiceTrends): string {
  if (runs === 0) return 'Nothing was run in this period.';
  if (services.length === 0)
    return `${counted(runs, 'run', 'runs')} in this period, and of none is it known which service was tried.`;
  const tried = `${counted(services.length, 'service was', 'services were')} tried in ${counted(runs - withoutService, 'run', 'runs')}`;
  const worse = services.filter(({ change }) => (change ?? 0) < 0);
  const better = services.filter(({ change }) => (change ?? 0) > 0);
  const said = [
    ...(worse.length === 0 ? [] : [`${worse.length} got worse: ${worse.map(nameOf).join(', ')}`]),
    ...(better.length === 0 ? [] : [`${better.length} got better`]),
    ...(worse.length + better.length === 0 ? ['none got worse'] : []),
  ];
  return `${tried}; ${said.join('; ')}.`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `shop/web`. Pure. */
export function nameOf({ namespace, name }: Pick<ServiceTrend, 'namespace' | 'name'>): string {
  return plainText(`${namespace}/${name}`);
}

/** What runs without a known workload, and those that were not read, are said as. Pure. */
export function restWords({ withoutService, leftOut }: ServiceTrends): readonly string[] {
  return [
    ...(withoutService === 0
      ? []
      : [
          `${counted(withoutService, 'run has', 'runs have')} no mark here: of what never began, or whose agent does not say what it hit, no workload is known.`,
        ]),
    ...(leftOut === 0
      ? []
      : [`${counted(leftOut, 'older run is', 'older runs are')} left out; choose a shorter period.`]),
  ];
}

/** `12 points worse`, `better`, or nothing where there is nothing to compare. Pure. */
export function changeOfScore({ change }: Pick<ServiceTrend, 'change'>): string {
  if (change === null) return '';
  const points = Math.round(Math.abs(change));
  if (points === 0) return 'as before';
  return `${points} ${points === 1 ? 'point' : 'points'} ${change < 0 ? 'worse' : 'better'}`;
}

/** The last time to recover, beside the median of those before: `4.2 s, before 1.4 s`. Pure. */
export function recoveryWords(runs: readonly Pick<ServiceRun, 'recoverySeconds' | 'isBack'>[]): string {
  if (runs.at(-1)?.isBack === false) return 'not back at the end of the last run';
  const seconds = runs.flatMap(({ recoverySeconds }) => recoverySeconds ?? []);
  const last = seconds.at(-1);
  if (last === undefined) return '';
  const before = seconds.slice(0, -1).toSorted((a, b) => a - b);
  const median = before[Math.floor(before.length / 2)];
  const words = durationWords(last * 1000);
  return median === undefined ? words : `${words}, before ${durationWords(median * 1000)}`;
}

/** Times to recover as points of a line, each from 0 to 1: time to the right, length upwards. Pure. */
export function recoveryLine(
  runs: readonly Pick<ServiceRun, 'recoverySeconds' | 'at'>[],
  { fromMs, toMs }: Span,
): readonly { readonly x: number; readonly y: number }[] {
  const points = runs.flatMap(({ recoverySeconds, at }) =>
    recoverySeconds === null
      ? []
      : [{ x: (Number(at) - fromMs) / (toMs - fromMs), seconds: recoverySeconds }],
  );
  const most = Math.max(...points.map(({ seconds }) => seconds), Number.MIN_VALUE);
  return points.map(({ x, seconds }) => ({ x, y: seconds / most }));
}

/** The worst of some runs: one that failed before one that was stopped, and that before one that passed. Pure. */
export function worstOf<Run extends Pick<ServiceRun, 'state'>>(runs: readonly Run[]): Run | undefined {
  const rank = ({ state }: Run): number => TONES.indexOf(stateWords(state).tone);
  return runs.toSorted((one, other) => rank(one) - rank(other))[0];
}

const TONES = ['bad', 'warning', 'active', 'quiet', 'good'];

/** Sentence for a mark: `Run 3 of pods-die, 24 Nov 2026: Passed, score 100`. Pure, apart from the reader's time zone. */
export function markWords({ experimentName, runSequence, at, state, score }: ServiceRun): string {
  const { word } = stateWords(state);
  const scored = score === null ? '' : `, score ${Math.round(score)}`;
  return `Run ${runSequence} of ${plainText(experimentName)}, ${dayWords(Number(at))}: ${word}${scored}`;
}

/** Workloads that are there and were not hit in the period, by name. Pure. */
export function neverTried<Present extends Service>(
  present: readonly Present[],
  tried: readonly Pick<ServiceTrend, 'infraID' | 'kind' | 'namespace' | 'name'>[],
): readonly Present[] {
  const key = ({ infraID, kind, namespace, name }: (typeof tried)[number]): string =>
    [infraID, kind, namespace, name].join('/');
  const known = new Set(tried.map(key));
  return present
    .filter((service) => !known.has(key(service)))
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** The report as Markdown. Pure, apart from the reader's time zone. */
export function trendsMarkdown(
  trends: ServiceTrends,
  untried: readonly Pick<Service, 'namespace' | 'name'>[],
  { fromMs, toMs }: Span,
): string {
  const rows = trends.services.map((service) => {
    const marks = columnsOf({ fromMs, toMs }, service.runs, ({ at }) => Number(at)).map(({ items }) => {
      const worst = worstOf(items);
      return worst === undefined ? '·' : (MARKS[stateWords(worst.state).tone] ?? '–');
    });
    const last = service.runs.at(-1);
    return [
      nameOf(service),
      marks.join(' '),
      changeOfScore(service),
      recoveryWords(service.runs),
      last === undefined ? '' : stateWords(last.state).word,
    ];
  });
  const table = [['service', 'by week', 'score', 'time to recover', 'last run'], ...rows].map(
    (cells) => `| ${cells.map(cell).join(' | ')} |`,
  );
  const [head = '', ...body] = table;
  return [
    `## Did we get better? ${dayWords(fromMs)} to ${dayWords(toMs - 1)}`,
    '',
    cell(headSentence(trends)),
    ...(rows.length === 0 ? [] : ['', head, '| --- | --- | --- | --- | --- |', ...body]),
    ...restWords(trends).flatMap((line) => ['', line]),
    ...(untried.length === 0 ? [] : ['', `Never tried: ${untried.map(nameOf).map(cell).join(', ')}`]),
    '',
  ].join('\n');
}

const MARKS: Readonly<Record<string, string>> = { bad: '✗', warning: '■', good: '✓' };

/** A text that begins no markup and no cell. */
function cell(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
