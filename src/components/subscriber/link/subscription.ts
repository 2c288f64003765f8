import type { Operation } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';
import type { Offers } from './frames.ts';

const ACTION = 'action { k8sManifest externalData requestID requestType username namespace }';

/**
 * The subscription to the actions for an infrastructure. Arguments of our own go to servers that offer what they are about.
 * @param answers types of requests of our own that the agent answers
 */
export function subscription(request: InfraIdentity, offers: Offers, answers: readonly string[]): Operation {
  // For servers that keep each action until the agent reports what became of it.
  const reporting = offers.actionResults ? ', reportsResults: true' : '';
  const answering = offers.ownRequests ? `, answers: ${JSON.stringify(answers)}` : '';
  return {
    query: `subscription InfraConnect($request: InfraIdentity!) {
  infraConnect(request: $request${reporting}${answering}) {
    ${ACTION}
  }
}`,
    variables: { request },
  };
}
