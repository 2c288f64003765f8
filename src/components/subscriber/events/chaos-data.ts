import type { ChaosEngine, EngineExperimentStatus } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import { type ChaosData, secondsText } from './run-event.ts';

/** What is known of an engine: itself, its result, or only one of both. */
interface EngineFacts {
  readonly name: string;
  readonly namespace: string;
  readonly engine: ChaosEngine | undefined;
  readonly result: ChaosResult | undefined;
}

/** What a server is told of an engine; undefined where nothing is known. Pure. */
export function chaosDataOf({ name, namespace, engine, result }: EngineFacts): ChaosData | undefined {
  if (engine === undefined && result === undefined) return undefined;
  const experiment = engine?.status?.experiments?.[0];
  const status = result?.status?.experimentStatus;
  const experimentName = experiment?.name ?? result?.spec?.experiment ?? '';
  const experimentStatus = status?.phase ?? engine?.status?.engineStatus ?? '';
  const experimentVerdict = verdictOf(engine, experiment, status?.verdict);
  const { errorCode = '', reason = '' } = status?.errorOutput ?? {};
  return {
    engineUID: engine?.metadata.uid ?? '',
    engineName: name,
    engineContext: engine?.metadata.labels?.context ?? result?.metadata.labels?.context ?? '',
    namespace,
    experimentName,
    experimentPod: experiment?.experimentPod ?? '',
    experimentStatus,
    experimentVerdict,
    faultName: experimentName,
    faultStatus: experimentStatus,
    faultVerdict: experimentVerdict,
    lastUpdatedAt: secondsText(experiment?.lastUpdateTime),
    probeSuccessPercentage: percentageOf(status?.probeSuccessPercentage),
    failStep: errorCode === '' && reason === '' ? '' : `${errorCode} : ${reason}`,
    runnerPod: experiment?.runner ?? '',
    chaosResult: result === undefined ? null : slimResult(result),
  };
}

/** A run that was stopped, or that ended with anything but a pass, has failed. An engine that has gone is judged by its result. */
function verdictOf(
  engine: ChaosEngine | undefined,
  experiment: EngineExperimentStatus | undefined,
  ofResult: string | undefined,
): string {
  if (engine === undefined) return ofResult ?? '';
  const verdict: string = experiment?.verdict ?? '';
  if (engine.spec.engineState === 'stop' && engine.status?.engineStatus === 'stopped') return 'Fail';
  const isOver = engine.status?.engineStatus === 'completed' || engine.status?.engineStatus === 'stopped';
  return isOver && verdict.toLowerCase() !== 'pass' ? 'Fail' : verdict;
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
  return { ...result, metadata, status };
}
