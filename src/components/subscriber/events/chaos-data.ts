import { findCondition } from '@turnsole/kube/kinds/conditions';
import { isObject, textOf } from '@turnsole/kube/text/json';
import { CONDITION_GIVEN_UP } from '../../../api/condition-types.ts';
import { runIsOver } from '../../../api/engine-status.ts';
import { LABEL_CHAOS_UID } from '../../../api/labels.ts';
import type { ChaosEngine, EngineExperimentStatus } from '../../../api/schema/engine.ts';
import type { ChaosResult, ProbeStatus } from '../../../api/schema/result.ts';
import { wantsDryRun } from '../../../chaos/run-record.ts';
import { type ChaosData, secondsText } from './run-event.ts';

type ResultStatus = NonNullable<ChaosResult['status']>['experimentStatus'];

/** The known objects of an engine: itself, its result, or only one of both. */
interface EngineFacts {
  readonly name: string;
  readonly namespace: string;
  readonly engine: ChaosEngine | undefined;
  readonly result: ChaosResult | undefined;
  /** Name of the experiment that stands for it. @default the first */
  readonly experiment?: string;
}

/**
 * The chaos data of an engine, as the agent sends them to the server; undefined when neither the engine nor its result is known. Other
 * programs write statuses too, so their fields may have any type. Pure.
 */
export function chaosDataOf({
  name,
  namespace,
  engine,
  result,
  experiment: wanted = '',
}: EngineFacts): ChaosData | undefined {
  if (engine === undefined && result === undefined) return undefined;
  // Of an engine that is gone, its result knows the rest.
  const left = engine === undefined ? result : undefined;
  const experiment = experimentOf(engine, wanted);
  const status = result?.status?.experimentStatus;
  const experimentName = textOf(experiment?.name) || textOf(result?.spec?.experiment);
  const experimentStatus = textOf(status?.phase) || textOf(engine?.status?.engineStatus);
  const experimentVerdict = verdictOf(engine, textOf(experiment?.verdict), textOf(status?.verdict));
  return {
    engineUID: engine?.metadata.uid ?? left?.metadata.labels?.[LABEL_CHAOS_UID] ?? '',
    engineName: name,
    engineContext: engine?.metadata.labels?.context ?? result?.metadata.labels?.context ?? '',
    namespace,
    experimentName,
    experimentPod: textOf(experiment?.experimentPod) || textOf(left?.status?.closed?.pod),
    experimentStatus,
    experimentVerdict,
    faultName: experimentName,
    faultStatus: experimentStatus,
    faultVerdict: experimentVerdict,
    lastUpdatedAt: secondsText(experiment?.lastUpdateTime ?? left?.status?.timeline?.at?.(-1)?.time),
    probeSuccessPercentage: percentageOf(status?.probeSuccessPercentage),
    failStep: failStepOf(status, engine, experimentVerdict, textOf(experiment?.status)),
    runnerPod: textOf(experiment?.runner) || (left === undefined ? '' : `${name}-runner`),
    chaosResult: result === undefined ? null : slimResult(result),
    ...(engine !== undefined && wantsDryRun(engine) && { isDryRun: true }),
  };
}

/** The experiments in the status of an engine. Callers check their fields one by one. Pure. */
export function entriesOf(status: ChaosEngine['status']): readonly EngineExperimentStatus[] {
  const entries: unknown = status?.experiments;
  return Array.isArray(entries) ? (entries.filter(isObject) as unknown[] as EngineExperimentStatus[]) : [];
}

/** Whether an experiment of an engine has passed. Pure. */
export function hasPassed({ verdict }: EngineExperimentStatus): boolean {
  return textOf(verdict).toLowerCase() === 'pass';
}

/** The entry of an experiment: of several iterations the first that did not pass. */
function experimentOf(engine: ChaosEngine | undefined, name: string): EngineExperimentStatus | undefined {
  const entries = entriesOf(engine?.status);
  const own = entries.filter((entry) => entry.name === name);
  return own.find((entry) => !hasPassed(entry)) ?? own[0] ?? entries[0];
}

/** A run that was stopped, or that ended with anything but a pass, has failed. An engine that has gone is judged by its result. */
function verdictOf(engine: ChaosEngine | undefined, verdict: string, ofResult: string): string {
  if (engine === undefined) return ofResult;
  const isStopped = engine.spec?.engineState === 'stop' && engine.status?.engineStatus === 'stopped';
  return isStopped || (runIsOver(engine.status?.engineStatus) && verdict.toLowerCase() !== 'pass')
    ? 'Fail'
    : verdict;
}

/** Why there was no judgement: the words of the result, or, where the run came to none, those of the engine: `ChaosExperiment Not Found`. */
function failStepOf(
  status: ResultStatus | undefined,
  engine: ChaosEngine | undefined,
  verdict: string,
  experimentStatus: string,
): string {
  const { errorCode, reason } = status?.errorOutput ?? {};
  if (textOf(errorCode) !== '' || textOf(reason) !== '') return `${textOf(errorCode)} : ${textOf(reason)}`;
  const given = givenUp(engine);
  if (given !== undefined) return `${textOf(given.reason)} : ${textOf(given.message)}`;
  const isOver = engine?.status?.engineStatus === 'completed';
  return status === undefined && isOver && verdict === 'Fail' ? experimentStatus : '';
}

/** The condition of an engine that nobody stopped, but that the operator has ended as it could not be run. Pure. */
export function givenUp(
  engine: ChaosEngine | undefined,
): { readonly reason?: string; readonly message?: string } | undefined {
  if (engine?.status?.engineStatus !== 'stopped' || !Array.isArray(engine.status.conditions))
    return undefined;
  const found = findCondition(engine.status.conditions, CONDITION_GIVEN_UP);
  return found?.status === 'True' ? found : undefined;
}

/** The share of passed probes: `Awaited`, or a number from 0 to 100. What is neither is no share that a score may count: 0. */
function percentageOf(value: unknown): string {
  if (value === 'Awaited') return value;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,3}(\.\d+)?$/.test(text)) return '0';
  return Number(text) <= 100 ? text : '0';
}

/** The result without annotations, as upstream sends it, and without what only Turnsole reads, which may be large. */
function slimResult(result: ChaosResult): ChaosResult {
  const { annotations, managedFields, ...metadata } = result.metadata;
  const { ledger, recovery, lease, timeline, engineTimeline, plan, ...status } = result.status ?? {};
  const { probeStatuses } = status;
  if (!Array.isArray(probeStatuses)) return { ...result, metadata, status };
  const slim = probeStatuses.map((probe) => (isObject(probe) ? withoutNumbers(probe) : probe));
  return { ...result, metadata, status: { ...status, probeStatuses: slim } };
}

function withoutNumbers({ measured, ...probe }: ProbeStatus): ProbeStatus {
  return probe;
}
