import type { Operation } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';
import { readStoredEvent } from '../events/stored-event.ts';

const DOCUMENT = `mutation ChaosExperimentRun($request: ExperimentRunRequest!) {
  chaosExperimentRun(request: $request)
}`;

/** The operation that reports an event to a server, under the present identity: events in the spool hold no key. */
export function experimentRun(body: Buffer, infraID: InfraIdentity): Operation {
  const { head, json } = readStoredEvent(body);
  return {
    query: DOCUMENT,
    variables: {
      request: {
        experimentID: head.experimentID,
        experimentRunID: head.uid,
        experimentName: head.name,
        revisionID: head.revisionID,
        notifyID: head.notifyID ?? undefined,
        completed: head.isOver,
        updatedBy: head.updatedBy,
        executionData: json.toString('base64'),
        infraID,
      },
    },
  };
}
