import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Informer, Logger } from '@turnsole/kube/runtime/index';
import { parseTime } from '@turnsole/kube/text/time';
import type { Estimates } from '@turnsole/workflows/engine/run';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { WorkflowSettings } from '../settings.ts';
import { storedNodes } from '../stored-nodes.ts';
import { Baselines } from './baselines.ts';

/** A workflow does not wait longer for its estimate. */
const LIMIT_MS = 5_000;

interface EstimatorParts {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly workflows: Informer<Workflow>;
  readonly settings: () => Pick<WorkflowSettings, 'withoutEstimates'>;
}

/** How long workflows and nodes are likely to take: as long as the last one of the same template or CronWorkflow that succeeded. */
export class Estimator {
  readonly #parts: EstimatorParts;
  readonly #baselines: Baselines;

  constructor(parts: EstimatorParts) {
    this.#parts = parts;
    this.#baselines = new Baselines(parts.workflows);
  }

  /**
   * One request when a baseline exists, as local copies have no nodes; none otherwise. A failure gives no estimate: the
   * workflow runs without one. @throws the signal's reason
   */
  async of(workflow: Workflow, signal: AbortSignal): Promise<Estimates | undefined> {
    const { client, logger, settings } = this.#parts;
    const isOff = settings().withoutEstimates === true || runsWithout(workflow);
    const baseline = isOff ? undefined : this.#baselines.of(workflow);
    if (baseline === undefined) return undefined;
    const [namespace = '', name = ''] = baseline.key.split('/');
    try {
      return estimatesOf(
        await client.get<Workflow>(WORKFLOWS, name, { namespace, signal, timeoutMs: LIMIT_MS }),
      );
    } catch (error) {
      signal.throwIfAborted();
      const fields = { workflow: workflow.metadata.name, namespace, baseline: name, err: error };
      if (!isNotFound(error)) logger.warn(fields, 'how long a workflow takes cannot be estimated');
      return undefined;
    }
  }
}

/** One that runs without an estimate began without one, and gets none after a restart of the controller. */
function runsWithout({ status: { phase, startedAt, estimatedDuration } = {} }: Workflow): boolean {
  return phase === 'Running' && startedAt !== undefined && estimatedDuration === undefined;
}

/** The estimates for the next workflow, from one that has succeeded. Pure. */
export function estimatesOf({ metadata, status = {} }: Workflow): Estimates {
  const seconds = new Map<string, number>();
  for (const node of Object.values(storedNodes(status))) {
    const duration = secondsOf(node);
    if (duration !== undefined) seconds.set(suffixOf(node.name, metadata.name), duration);
  }
  const workflow = secondsOf(status);
  return {
    ...(workflow !== undefined && { workflow }),
    node: (name, own) => seconds.get(suffixOf(name, own)),
  };
}

/** Names of nodes begin with that of their workflow. */
function suffixOf(node: string, workflow: string): string {
  return node.startsWith(workflow) ? node.slice(workflow.length) : node;
}

/** Whole seconds; undefined for less than one, and for what has no end. */
function secondsOf({
  startedAt,
  finishedAt,
}: {
  readonly startedAt?: string;
  readonly finishedAt?: string;
}): number | undefined {
  const [from, to] = [parseTime(startedAt), parseTime(finishedAt)];
  const seconds = from === undefined || to === undefined ? 0 : Math.floor((to - from) / 1_000);
  return seconds > 0 ? seconds : undefined;
}
