import {
  type ChaosTarget,
  type EngineVerdict,
  MACHINE_OVERLOADED,
  VERDICT_STEP,
} from '../../../api/index.ts';
import type { Coverage, WorkloadReadiness } from '../../../api/schema/result.ts';
import { DEFAULT_MINIMUM_COVERAGE, describeCoverage } from '../../../chaos/coverage.ts';
import { mergeTargets, targetsOfAnnotations } from '../../../chaos/history-targets.ts';
import { describeOverload } from '../../../chaos/overload.ts';
import { describeStarvation } from '../../../chaos/starvation.ts';
import { describeReadiness } from '../../../chaos/workload-readiness.ts';
import { describeError } from '../../injection/errors.ts';
import {
  abortEvent,
  noEffectEvent,
  summaryEvent,
  unknownEffectEvent,
  verdictEvent,
} from '../../injection/events/messages.ts';
import { type Effects, judgeEffects, smallWords } from '../../injection/result/effects.ts';
import { type Force, judgeForce } from '../../injection/result/force.ts';
import { gravestFirst, type Objection } from '../../injection/result/objection.ts';
import { endPatch } from '../../injection/result/result-patches.ts';
import { asDryRun, type Ending, type Judgement, judge } from '../../injection/result/verdict.ts';
import { emitOnEngine, emitOnResult, isDryRun, ownEntriesOf, type Run } from './run.ts';

/** Longest time the last Events may take: they are for information, an aborted run has to be over. */
const EVENT_LIMIT_MS = 5_000;

/** Steps 14 and 15: judges the run, stores the result, writes the last Events. Gives the judgement. */
export async function closeRun(run: Run, ending: Ending): Promise<Judgement> {
  const { settings, writer, timeline } = run;
  run.news.close();
  const effects = effectsOf(run, ending);
  const objections = [...run.objections, ...(effects.objection === undefined ? [] : [effects.objection])];
  const probes = run.probes?.statuses() ?? writer.current?.status?.probeStatuses ?? [];
  const starvation = isDryRun(run) ? undefined : describeStarvation(probes, run.pressures.before);
  if (starvation !== undefined)
    objections.push({ code: 'MACHINE_BUSY', verdict: 'Error', reason: starvation });
  const first = judge(ending, probes, stopping(run), objections);
  const force = forceOf(run);
  // Little force takes the worth of a Pass; what failed under it failed all the same.
  if (first.verdict === 'Pass' && force?.objection !== undefined) objections.push(force.objection);
  const judged = judge(ending, probes, stopping(run), objections);
  const judgement = isDryRun(run) ? asDryRun(judged) : judged;
  const coverage = force?.coverage;
  const { window } = run.force;
  const workloads = window === undefined ? [] : run.workloads.readiness(window);
  const message = verdictMessage(run, ending, judgement, { effects, objections, coverage, workloads });
  const pressure = run.pressures.end();
  const overload = describeOverload(pressure);
  if (overload !== undefined) timeline.note({ step: MACHINE_OVERLOADED, message: overload });
  timeline.note({ step: VERDICT_STEP, message });
  await writer.write(
    endPatch({
      settings,
      existing: writer.current,
      podLabels: run.pod?.metadata.labels ?? {},
      judgement,
      targets: targetsOf(run),
      coverage,
      workloads,
      pressure,
      entries: force?.entries ?? [],
    }),
  );
  emitEffects(run, effects);
  emitEnd(run, ending, judgement.verdict);
  await Promise.race([run.events.flush(), run.clock.sleep(EVENT_LIMIT_MS).catch(() => {})]);
  return judgement;
}

/** What the effects leave to be desired, on engine and result. */
function emitEffects(run: Run, { missing, unknown }: Effects): void {
  const { experiment } = run.settings;
  const events = [
    ...(missing.length === 0 ? [] : [noEffectEvent(experiment, missing)]),
    ...(unknown.length === 0 ? [] : [unknownEffectEvent(experiment, unknown)]),
  ];
  for (const event of events) {
    emitOnEngine(run, event);
    emitOnResult(run, event);
  }
}

/** What this process hit, and what its helpers left in annotations. */
function targetsOf(run: Run): ChaosTarget[] {
  return mergeTargets(targetsOfAnnotations(run.writer.current?.metadata.annotations), run.ledger.targets);
}

/** The effects of this run only: the ledger may have entries of an earlier one that was recovered. */
function effectsOf(run: Run, ending: Ending): Effects {
  const { settings, engine } = run;
  const effects = judgeEffects(settings.experiment, ownEntriesOf(run), engine?.spec.requireEffect === true);
  // An abort or an error says enough: only what is known is reported then.
  return ending.kind === 'completed' ? effects : { ...effects, unknown: [], small: [], objection: undefined };
}

/** How much of a held fault was in force; undefined for other faults, and where nothing was to be injected. */
function forceOf(run: Run): Force | undefined {
  const { asked } = run.force;
  if (asked === undefined) return undefined;
  const written = ownEntriesOf(run);
  const complete = run.force.complete(written);
  return judgeForce({
    experiment: run.settings.experiment,
    asked,
    written,
    complete,
    steps: run.force.steps(complete),
    minimum: run.engine?.spec.minimumCoverage ?? DEFAULT_MINIMUM_COVERAGE,
    nowMs: run.clock.now(),
  });
}

function stopping(run: Run): ReadonlySet<string> {
  const probes = run.engineExperiment?.spec?.probe ?? [];
  return new Set(probes.filter((probe) => probe.runProperties?.stopOnFailure).map(({ name }) => name));
}

function verdictMessage(
  run: Run,
  ending: Ending,
  { verdict, probeSuccessPercentage }: Judgement,
  found: {
    readonly effects: Effects;
    readonly objections: readonly Objection[];
    readonly coverage: Coverage | undefined;
    readonly workloads: readonly WorkloadReadiness[];
  },
): string {
  const { settings, stop } = run;
  const head = `${settings.experiment} ended with verdict ${verdict}`;
  if (ending.kind === 'aborted') return `${head}: ${describeError(stop.reason)}`;
  if (isDryRun(run) && verdict === 'N/A') return `${head}: it was a dry run, nothing was injected`;
  const reasons = gravestFirst(found.objections).map(({ reason }) => reason);
  if (ending.kind === 'error') {
    const error = ending.errorOutput?.reason ?? (reasons.length === 0 ? 'a helper failed' : undefined);
    return `${head}: ${[...(error === undefined ? [] : [error]), ...reasons].join('; ')}`;
  }
  const { coverage } = found;
  const covered =
    coverage === undefined || found.objections.some(({ code }) => code === 'LOW_COVERAGE')
      ? []
      : [describeCoverage(coverage)];
  const hasProbes = (run.probes?.statuses() ?? []).length > 0;
  const probes = hasProbes ? [`${probeSuccessPercentage} % of probes passed`] : [];
  return [
    [head, ...probes, ...covered].join(', '),
    ...found.workloads.flatMap((workload) => describeReadiness(workload) ?? []),
    ...reasons,
    ...effectWords(settings.experiment, found.effects),
  ].join('; ');
}

/** What the effects leave to be desired, where no objection says it. */
function effectWords(experiment: string, { missing, unknown, small, objection }: Effects): string[] {
  if (objection !== undefined) return [];
  const none = missing.length === 0 ? [] : [`${experiment} had no effect on ${missing.join('; ')}`];
  const open =
    unknown.length === 0 ? [] : [`whether ${experiment} had an effect is not known of ${unknown.join('; ')}`];
  return [...none, ...open, ...(small.length === 0 ? [] : [smallWords(experiment, small)])];
}

function emitEnd(run: Run, ending: Ending, verdict: EngineVerdict): void {
  const { experiment } = run.settings;
  if (ending.kind === 'aborted') {
    emitOnEngine(run, summaryEvent(experiment, 'aborted', verdict));
    emitOnResult(run, abortEvent(experiment));
    return;
  }
  // A dry run without an objection has no verdict to report.
  if (verdict !== 'N/A') emitOnResult(run, verdictEvent(experiment, verdict));
  emitOnEngine(run, summaryEvent(experiment, ending.kind, verdict));
}
