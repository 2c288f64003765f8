import { type ChaosTarget, type EngineVerdict, VERDICT_STEP } from '../../../api/index.ts';
import { mergeTargets, targetsOfAnnotations } from '../../../chaos/history-targets.ts';
import { describeError } from '../../injection/errors.ts';
import {
  abortEvent,
  noEffectEvent,
  summaryEvent,
  unknownEffectEvent,
  verdictEvent,
} from '../../injection/events/messages.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import { type Effects, judgeEffects } from '../../injection/result/effects.ts';
import { endPatch } from '../../injection/result/result-patches.ts';
import { asDryRun, type Ending, type Judgement, judge } from '../../injection/result/verdict.ts';
import { emitOnEngine, emitOnResult, isDryRun, type Run } from './run.ts';

/** Longest time the last Events may take: they are for information, an aborted run has to be over. */
const EVENT_LIMIT_MS = 5_000;

/** Steps 14 and 15: judges the run, stores the result, writes the last Events. Gives the judgement. */
export async function closeRun(run: Run, ending: Ending): Promise<Judgement> {
  const { settings, writer, timeline } = run;
  run.news.close();
  const effects = effectsOf(run, ending);
  const judged = judge(
    ending,
    run.probes?.statuses() ?? writer.current?.status?.probeStatuses ?? [],
    stopping(run),
    effects.objection,
  );
  const judgement = isDryRun(run) ? asDryRun(judged) : judged;
  timeline.note({ step: VERDICT_STEP, message: verdictMessage(run, ending, judgement, effects) });
  await writer.write(
    endPatch({
      settings,
      existing: writer.current,
      podLabels: run.pod?.metadata.labels ?? {},
      judgement,
      targets: targetsOf(run),
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
function effectsOf({ ledger, settings, engine }: Run, ending: Ending): Effects {
  const own = ownEntries({ status: { ledger: ledger.ledger } }, settings.runId);
  const effects = judgeEffects(settings.experiment, own, engine?.spec.requireEffect === true);
  // An abort or an error says enough: unknown effects are not reported then.
  return ending.kind === 'completed' ? effects : { ...effects, unknown: [] };
}

function stopping(run: Run): ReadonlySet<string> {
  const probes = run.engineExperiment?.spec?.probe ?? [];
  return new Set(probes.filter((probe) => probe.runProperties?.stopOnFailure).map(({ name }) => name));
}

function verdictMessage(
  run: Run,
  ending: Ending,
  { verdict, probeSuccessPercentage }: Judgement,
  { missing, unknown, objection }: Effects,
): string {
  const head = `${run.settings.experiment} ended with verdict ${verdict}`;
  if (ending.kind === 'aborted') return `${head}: ${describeError(run.stop.reason)}`;
  if (isDryRun(run) && verdict === 'N/A') return `${head}: it was a dry run, nothing was injected`;
  if (ending.kind === 'error') return `${head}: ${ending.errorOutput?.reason ?? 'a helper failed'}`;
  const probes =
    (run.probes?.statuses() ?? []).length === 0
      ? head
      : `${head}, ${probeSuccessPercentage} % of probes passed`;
  const none = missing.length === 0 ? [] : [`it had no effect on ${missing.join('; ')}`];
  const open = unknown.length === 0 ? [] : [`whether it had one is not known of ${unknown.join('; ')}`];
  const required =
    objection === undefined && unknown.length === 0 ? '' : ', and spec.requireEffect asks for one';
  return `${[probes, ...none, ...open].join('; ')}${required}`;
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
