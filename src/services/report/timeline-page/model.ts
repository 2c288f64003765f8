import { humanTime } from '@turnsole/kube/text/human-time';
import type { ChaosEngine, ChaosResult, LedgerEntry, TimelineEntry } from '../../../api/index.ts';
import { CHAOS_ENDED, CHAOS_STARTED, EXPERIMENT_STARTED, isOpen, VERDICT_STEP } from '../../../api/index.ts';
import { describeEffect, ofSmallEffect, withoutEffect } from '../../../chaos/no-effect.ts';
import { msOf } from '../../../chaos/spans/steps.ts';
import type { WorkflowTimelineEntry } from '../../workflows/timeline.ts';
import { courseOf } from '../course/course.ts';
import type { RunCourse } from '../course/model.ts';
import type { RunOutcome } from '../outcome/run-outcome.ts';
import { recordReport } from '../record-report.ts';
import { injectionsOf, type RunRecord } from '../run-record.ts';
import { mergeTimeline } from '../timeline.ts';
import { type Bar, inOrder, type Lane, type Mark, workloadName } from './lane.ts';
import { isPodStep, podLanes } from './pod-lanes.ts';
import { probeLanes } from './probe-lanes.ts';
import { workloadLanes } from './workload-lanes.ts';

/** Verdict of one experiment. */
export interface PageVerdict {
  readonly experiment: string;
  readonly verdict: string;
  readonly detail: string;
}

/** Everything the page shows. Times are milliseconds since the epoch. */
export interface TimelinePage {
  readonly title: string;
  readonly runId: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly verdicts: readonly PageVerdict[];
  /** Targets that were hit without any effect. */
  readonly warnings: readonly string[];
  readonly lanes: readonly Lane[];
  readonly steps: readonly WorkflowTimelineEntry[];
  /** How the run ended, where that is known. */
  readonly outcome?: RunOutcome;
  /** What its state and its sentences are made of; absent where no objects of it are known. */
  readonly course?: RunCourse;
  /** What an agent has reported of the run, where nothing else is known: the page makes the lanes of it. JSON text. */
  readonly account?: string;
  /** The ends of the logs of its pods, where they are kept. */
  readonly logs?: readonly PageLog[];
}

/** The end of a pod's log. */
export interface PageLog {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  /** Whole lines. */
  readonly text: string;
  /** Bytes before them that are not kept. */
  readonly leftOutBytes: number;
}

/** Puts together what a page shows of a run. Pure. Without any step start and end are 0. */
export function timelinePage(record: RunRecord): TimelinePage {
  const { engine, results, runId, name, namespace } = record;
  const steps = mergeTimeline(engine, results, runId);
  const entries = injectionsOf(record);
  const times = [
    ...steps.map(({ time }) => Date.parse(time)),
    ...entries.flatMap(({ injectedAt, revertedAt }) =>
      [injectedAt, revertedAt].map((time) => Date.parse(time ?? '')),
    ),
  ].filter((time) => !Number.isNaN(time));
  const startMs = times.length === 0 ? 0 : Math.min(...times);
  const endMs = times.length === 0 ? 0 : Math.max(...times, startMs + 1);
  const { outcome } = recordReport(record, { turnsole: '', nowMs: endMs });
  return {
    title: `${namespace}/${name}`,
    runId,
    startMs,
    endMs,
    verdicts: verdictsOf(engine, results),
    warnings: [
      ...withoutEffect(entries).map((entry) => `${entry.fault} had no effect on ${describeEffect(entry)}`),
      ...ofSmallEffect(entries).map(
        (entry) => `${entry.fault} had little effect on ${describeEffect(entry)}`,
      ),
    ],
    lanes: inOrder([
      runLane(steps),
      ...results.map((result) => experimentLane(result, steps, endMs)),
      ...workloadLanes(ofRun(results, steps), entries, endMs),
      ...targetLanes(entries, steps, endMs),
      ...podLanes(steps, endMs),
      ...probeLanes(results, steps, endMs),
    ]).filter(({ bars, marks, curve }) => bars.length + marks.length > 0 || curve !== undefined),
    steps,
    ...(outcome !== undefined && { outcome }),
    course: courseOf(record),
  };
}

/** Results that the run has opened: before that they have the numbers of an earlier one. */
function ofRun(results: readonly ChaosResult[], steps: readonly TimelineEntry[]): ChaosResult[] {
  return results.filter((result) => {
    const name = result.spec?.experiment ?? result.metadata.name;
    return steps.some(({ actor, step }) => step === EXPERIMENT_STARTED && actor === `experiment/${name}`);
  });
}

function verdictsOf(engine: ChaosEngine | undefined, results: readonly ChaosResult[]): PageVerdict[] {
  const ofEngine = engine?.status?.experiments ?? [];
  if (ofEngine.length > 0) {
    return ofEngine.map(({ name, verdict, status, reason, iteration }) => ({
      experiment: iteration === undefined ? name : `${name} (${iteration})`,
      verdict,
      detail: reason ?? status,
    }));
  }
  return results.map(({ spec, metadata, status }) => ({
    experiment: spec?.experiment ?? metadata.name,
    verdict: status?.experimentStatus?.verdict ?? 'N/A',
    detail: status?.experimentStatus?.phase ?? '',
  }));
}

function runLane(steps: readonly TimelineEntry[]): Lane {
  const own = steps.filter(({ actor }) => !actor.includes('/'));
  const [first, last] = [own[0], own.at(-1)];
  const bars: Bar[] =
    first === undefined || last === undefined
      ? []
      : [
          {
            kind: 'life',
            fromMs: msOf(first),
            toMs: msOf(last),
            label: 'the run, from its first step to its last',
          },
        ];
  return { group: 'Run', name: 'operator and runner', bars, marks: own.map(markOf) };
}

function experimentLane(result: ChaosResult, steps: readonly TimelineEntry[], endMs: number): Lane {
  const name = result.spec?.experiment ?? result.metadata.name;
  const own = steps.filter(({ actor }) => actor === `experiment/${name}`);
  const [first, last] = [own[0], own.at(-1)];
  const life: Bar[] =
    first === undefined || last === undefined
      ? []
      : [{ kind: 'life', fromMs: msOf(first), toMs: msOf(last), label: `${name} at work` }];
  const chaos = spans(own, CHAOS_STARTED, [CHAOS_ENDED, 'Aborted', VERDICT_STEP], endMs).map(
    ({ fromMs, toMs }): Bar => ({ kind: 'chaos', fromMs, toMs, label: chaosWords(result) }),
  );
  const marks = own.filter(({ step }) => step !== 'Injected' && !isPodStep(step)).map(markOf);
  return { group: 'Experiments', name, bars: [...life, ...chaos], marks };
}

/** What was planned: how long it was in force shows its bar, which an abort ends before. */
function chaosWords({ status }: ChaosResult): string {
  const seconds = status?.timing?.chaosSeconds;
  return seconds === undefined ? 'chaos' : `chaos, planned for ${humanTime(seconds * 1000)}`;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** From each step of a kind to the next of those that end it, or to the end of the page. */
function spans(
  steps: readonly TimelineEntry[],
  begins: string,
  ends: readonly string[],
  endMs: number,
): Span[] {
  return steps.flatMap((from, index) => {
    if (from.step !== begins) return [];
    const to = steps.slice(index + 1).find(({ step }) => ends.includes(step));
    return [{ fromMs: msOf(from), toMs: to === undefined ? endMs : msOf(to) }];
  });
}

function targetLanes(
  entries: readonly LedgerEntry[],
  steps: readonly TimelineEntry[],
  endMs: number,
): Lane[] {
  const lanes = new Map<string, { of?: string; bars: Bar[]; marks: Mark[] }>();
  for (const entry of entries) {
    const { injectedAt, revertedAt, fault, instant, state, effect } = entry;
    const message = [entry.message, effect?.message].filter((text) => text !== undefined).join('; ');
    if (injectedAt === undefined) continue;
    const fromMs = Date.parse(injectedAt);
    const name = targetName(entry);
    const lane = lanes.get(name) ?? { ...ofWorkload(entry), bars: [], marks: [] };
    lanes.set(name, lane);
    const said = message === '' ? '' : `: ${message}`;
    if (instant === true || state === 'done' || state === 'failed') {
      const word = state === 'failed' ? 'failed' : 'hit it';
      lane.marks.push({
        kind: state === 'failed' ? 'failure' : 'injected',
        atMs: fromMs,
        label: `${fault} ${word}${said}`,
      });
    } else {
      const stays = isOpen(entry);
      const label = stays ? `${fault} is in force${said}` : `${fault} was in force${said}`;
      const toMs = revertedAt === undefined ? endMs : Date.parse(revertedAt);
      const kind = effect?.seen === false ? 'ineffective' : 'injected';
      lane.bars.push({ kind: stays ? 'open' : kind, fromMs, toMs, label });
    }
    const place = objectOf(entry);
    const recovered = steps.find(
      ({ step, object, time }) => step === 'Recovered' && object === place && Date.parse(time) >= fromMs,
    );
    const isNew = !lane.marks.some(
      ({ kind, atMs }) => kind === 'recovered' && atMs === Date.parse(recovered?.time ?? ''),
    );
    if (recovered !== undefined && isNew) {
      lane.marks.push({ kind: 'recovered', atMs: msOf(recovered), label: recovered.message });
    }
  }
  return [...lanes].map(([name, lane]) => ({ group: 'Targets', name, ...lane }));
}

function ofWorkload({ target: { namespace, owner } }: LedgerEntry): { readonly of?: string } {
  if (namespace === undefined || owner === undefined) return {};
  return { of: workloadName({ namespace, kind: owner.kind, name: owner.name }) };
}

function targetName({ target: { kind, namespace, name, container } }: LedgerEntry): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return `${kind} ${place}${container === undefined ? '' : ` (${container})`}`;
}

function objectOf({ target: { kind, namespace, name } }: LedgerEntry): string {
  return [kind, namespace, name].filter((part) => part !== undefined).join('/');
}

function markOf(entry: TimelineEntry): Mark {
  return { kind: 'step', atMs: msOf(entry), label: `${entry.step}: ${entry.message}` };
}
