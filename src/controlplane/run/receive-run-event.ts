import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { agentOf, type Context, type ControlPlane } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { enqueueAction } from '../infra/enqueue-action.ts';
import type { ExperimentRunRequest } from '../schema/generated/types.ts';
import { Gatherer } from '../store/gatherer.ts';
import { projectScope } from '../store/store.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { stopOrder } from './agent-orders.ts';
import { experimentType } from './experiment-type.ts';
import type { ReportedEvent } from './reported-event.ts';
import { type EventOutcome, storeRunEvents } from './store-run-events.ts';

/**
 * Receives an agent's report about a run of its project.
 *
 * @returns a sentence that agents know
 * @throws Refusal for a report about a finished run, and for an unreadable one
 */
export async function receiveRunEvent(request: ExperimentRunRequest, context: Context): Promise<string> {
  const { project, infra } = agentOf(context);
  const event = reportedEvent(request, project, infra);
  const { kind } = await gathererOf(context.plane).do(projectScope(project), event);
  const { experimentID, experimentRunID } = request;
  switch (kind) {
    case 'stored':
    case 'stale':
      return `Experiment run received for for ExperimentID: ${experimentID}, ExperimentRunID: ${experimentRunID}`;
    case 'no-experiment':
      return `no experiment found with experimentID: ${experimentID}, experiment run discarded: ${experimentRunID}`;
    case 'no-revision':
      return `no experiment found with experimentID: ${experimentID} and revisionID: ${request.revisionID}, experiment run discarded: ${experimentRunID}`;
    case 'duplicate':
      throw new Refusal(
        'conflict',
        `experiment run has been discarded due the duplicate event, workflowId: ${experimentID}, workflowRunId: ${experimentRunID}`,
      );
  }
}

type RunEvents = Gatherer<ReportedEvent, EventOutcome>;

const gatherers = new WeakMap<ControlPlane, RunEvents>();

/** Stores concurrent reports of a project's agents together. */
function gathererOf(plane: ControlPlane): RunEvents {
  const known = gatherers.get(plane);
  if (known !== undefined) return known;
  const gatherer: RunEvents = new Gatherer(plane.store, async (tx, events) => {
    const outcomes = await storeRunEvents(tx, events);
    for (const outcome of outcomes) {
      if (outcome.kind === 'stored' && outcome.stopInCluster) await stopNow(tx, outcome.run, plane);
    }
    return outcomes;
  });
  gatherers.set(plane, gatherer);
  return gatherer;
}

/** Stops the object of a run that a user stopped before the agent had reported the object. */
async function stopNow(tx: Tx, run: RunRow, plane: ControlPlane): Promise<void> {
  const { requestType: type, ...order } = stopOrder(run, await experimentType(tx.db, run));
  const { infra_id: infra, updated_by: username } = run;
  await enqueueAction(tx, { ...order, infra, requestId: plane.ids.id(), type, username });
}

/** @throws Refusal naming the field */
function reportedEvent(request: ExperimentRunRequest, project: string, infra: string): ReportedEvent {
  const text = Buffer.from(request.executionData, 'base64').toString();
  const data = readExecutionData(text);
  if (data === undefined) throw unreadable('executionData', 'is no JSON object in Base64');
  if (request.experimentRunID === '') throw unreadable('experimentRunID', 'is empty');
  if (request.experimentRunID.length > MOST_CHARACTERS) {
    throw unreadable('experimentRunID', `is longer than ${MOST_CHARACTERS} characters`);
  }
  return {
    project,
    infra,
    experimentID: request.experimentID,
    runID: request.experimentRunID,
    notifyID: request.notifyID ?? '',
    revisionID: request.revisionID,
    name: request.experimentName,
    isCompleted: request.completed,
    data,
    text,
  };
}

function unreadable(field: string, what: string): Refusal {
  return new Refusal('invalid', `cannot take what is told of a run: ${field} ${what}`, {
    fields: [`request.${field}`],
  });
}

/** Limit for IDs, because of database indexes. */
const MOST_CHARACTERS = 254;
