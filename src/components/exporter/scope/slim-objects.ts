/** The copies that an exporter keeps: of a result, an engine and an Event only what series are made of. Pure. */

import type { CoreEvent, KubeObject, ObjectMeta } from '@turnsole/kube/kinds/core';
import { CHAOS_STARTED, EXPERIMENT_STARTED, LABEL_RUN_ID, VERDICT_STEP } from '../../../api/index.ts';
import type { ExperimentTimes } from '../event-times.ts';
import { countOf, listOf, membersOf, percentageOf, textOf, timeOf } from '../lenient.ts';
import type { ResultFigures } from '../result-figures.ts';
import { type EndedRun, endedRunOf, isFinalVerdict, probeTypesOf } from './ended-run.ts';
import { residueOf } from './residue.ts';

/** An object as it is served: nothing is known of what its writers have put into it. */
interface ServedObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** A result as it is kept. */
export interface SlimResult
  extends KubeObject,
    Pick<ResultFigures, 'experiment' | 'verdict' | 'passedRuns' | 'failedRuns' | 'percentage'> {
  readonly engine: string;
  readonly stoppedRuns: number;
  /** By the result's own timeline. */
  readonly times: ExperimentTimes;
  /** Types of the probes of a run that goes on. */
  readonly probeTypes: readonly string[];
  /** Ids of injections that a run has left in force. */
  readonly residue: readonly string[];
  /**
   * Counted once, when the run ends. The counter then removes it: ten thousand results with a ledger each would weigh more than
   * everything the metrics show.
   */
  ended?: EndedRun | undefined;
}

const NONE: readonly string[] = [];

/** The copy of a result. Never throws, whatever the result holds. */
export function slimResult(result: ServedObject): SlimResult {
  const spec = membersOf(result.spec);
  const status = membersOf(result.status);
  const history = membersOf(status.history);
  const { verdict, probeSuccessPercentage } = membersOf(status.experimentStatus);
  const runId = textOf(membersOf(result.metadata.labels)[LABEL_RUN_ID]);
  const word = textOf(verdict);
  const residue = residueOf(status.ledger, runId, isFinalVerdict(word));
  return {
    metadata: slimMeta(result),
    engine: textOf(spec.engine),
    experiment: textOf(spec.experiment) || result.metadata.name,
    verdict: word,
    passedRuns: countOf(history.passedRuns),
    failedRuns: countOf(history.failedRuns),
    stoppedRuns: countOf(history.stoppedRuns),
    percentage: percentageOf(probeSuccessPercentage),
    times: stepTimes(status.timeline),
    probeTypes: isFinalVerdict(word) ? NONE : probeTypesOf(status.probeStatuses),
    residue: residue.length === 0 ? NONE : residue,
    ended: isFinalVerdict(word) ? endedRunOf(status, word, runId) : undefined,
  };
}

/** An engine as it is kept. */
export interface SlimEngine extends KubeObject {
  readonly context: string;
  readonly workflow: string;
  readonly appLabel: string;
  readonly appNamespace: string;
  readonly appKind: string;
}

/** The copy of an engine. Never throws. */
export function slimEngine(engine: ServedObject): SlimEngine {
  const labels = membersOf(engine.metadata.labels);
  const { applabel, appns, appkind } = membersOf(membersOf(engine.spec).appinfo);
  return {
    metadata: slimMeta(engine),
    context: textOf(labels.context),
    workflow: textOf(labels.workflow_name),
    appLabel: textOf(applabel),
    appNamespace: textOf(appns),
    appKind: textOf(appkind),
  };
}

/** The copy of an Event: when what has happened to which object. */
export function slimEvent({ metadata, reason, lastTimestamp, involvedObject }: CoreEvent): CoreEvent {
  const { uid } = membersOf(involvedObject);
  return { metadata: slimMeta({ metadata }), reason, lastTimestamp, involvedObject: { uid: textOf(uid) } };
}

function slimMeta({ metadata }: KubeObject): ObjectMeta {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { name, namespace, uid, resourceVersion };
}

/**
 * When the latest steps of an experiment were by the timeline of its result, in whole seconds since 1970; 0 where it does not say.
 * Unlike Events, which Kubernetes drops after an hour, it is there for as long as the result. Pure.
 */
function stepTimes(timeline: unknown): ExperimentTimes {
  const times = { start: 0, injected: 0, end: 0 };
  for (const entry of listOf(timeline)) {
    const { step, time, actor } = membersOf(entry);
    const what = typeof step === 'string' ? STEPS.get(step) : undefined;
    if (what === undefined || typeof actor !== 'string' || !actor.startsWith('experiment/')) continue;
    const seconds = Math.floor((timeOf(time) ?? 0) / 1000);
    times[what] = Math.max(times[what], seconds);
  }
  return times;
}

const STEPS = new Map<string, keyof ExperimentTimes>([
  [EXPERIMENT_STARTED, 'start'],
  [CHAOS_STARTED, 'injected'],
  [VERDICT_STEP, 'end'],
]);
