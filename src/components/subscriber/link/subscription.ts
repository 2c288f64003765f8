import type { Operation } from '../../../controlplane/client/client.ts';
import type { InfraIdentity } from '../../../controlplane/client/settings.ts';
import type { Offers } from './frames.ts';

const ACTION = 'action { k8sManifest externalData requestID requestType username namespace }';
const DOCUMENT = `subscription InfraConnect($request: InfraIdentity!) {
  infraConnect(request: $request) {
    ${ACTION}
  }
}`;
/** For servers that keep each action until they have heard what became of it. */
const REPORTING = `subscription InfraConnect($request: InfraIdentity!) {
  infraConnect(request: $request, reportsResults: true) {
    ${ACTION}
  }
}`;

/** The subscription to the actions for an infrastructure. */
export function subscription(request: InfraIdentity, { actionResults }: Offers): Operation {
  return { query: actionResults ? REPORTING : DOCUMENT, variables: { request } };
}
