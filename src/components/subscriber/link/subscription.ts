import type { Operation } from '../../../controlplane/client/client.ts';
import type { InfraIdentity } from '../../../controlplane/client/settings.ts';

const DOCUMENT = `subscription InfraConnect($request: InfraIdentity!) {
  infraConnect(request: $request) {
    action { k8sManifest externalData requestID requestType username namespace }
  }
}`;

/** The subscription to the actions for an infrastructure. */
export function subscription(request: InfraIdentity): Operation {
  return { query: DOCUMENT, variables: { request } };
}
