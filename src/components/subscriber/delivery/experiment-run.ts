import type { Operation } from '../../../control-plane-client/client.ts';
import type { InfraIdentity } from '../../../control-plane-client/settings.ts';
import { isOver, type RunEvent } from '../events/run-event.ts';

const DOCUMENT = `mutation ChaosExperimentRun($request: ExperimentRunRequest!) {
  chaosExperimentRun(request: $request)
}`;

/** The operation that tells a server of an event. The identity is that of now: what waits in the spool holds no key. */
export function experimentRun(body: Buffer, infraID: InfraIdentity): Operation {
  // Written by this program: the body of a record is the JSON of an event.
  const event = JSON.parse(body.toString()) as RunEvent;
  return {
    query: DOCUMENT,
    variables: {
      request: {
        experimentID: event.experimentID,
        experimentRunID: event.uid,
        experimentName: event.name,
        revisionID: event.revisionID,
        notifyID: event.notifyID ?? undefined,
        completed: isOver(event),
        updatedBy: event.updatedBy,
        executionData: body.toString('base64'),
        infraID,
      },
    },
  };
}
