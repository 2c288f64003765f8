import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../../api/agent-objects.ts';
import type { InstallObject } from '../install-object.ts';
import { labelsOf } from '../names.ts';
import type { Registration } from './registration.ts';

/**
 * The ConfigMap and the Secret of an infrastructure's agent. Pure.
 *
 * @param components label selectors of the pods that have to run before the agent confirms its registration
 */
export function agentConfig(registration: Registration, components: readonly string[]): InstallObject[] {
  const { namespace, ca } = registration;
  const labels = labelsOf(registration, 'subscriber');
  const list = components.map((selector) => `\n  - ${selector}`).join('');
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: AGENT_CONFIG_MAP, namespace, labels },
      data: {
        SERVER_ADDR: registration.serverAddress,
        INFRA_SCOPE: registration.scope,
        IS_INFRA_CONFIRMED: `${registration.isConfirmed}`,
        COMPONENTS: `DEPLOYMENTS:${list}\n`,
        VERSION: registration.version,
        START_TIME: `${registration.startTime}`,
        SKIP_SSL_VERIFY: `${registration.skipSsl}`,
        CUSTOM_TLS_CERT: base64(ca ?? ''),
      },
    },
    agentSecret(registration),
  ];
}

/** The Secret of an infrastructure's agent. Pure. */
export function agentSecret(registration: Registration): InstallObject {
  const { namespace, infraID, accessKey } = registration;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: AGENT_SECRET, namespace, labels: labelsOf(registration, 'subscriber') },
    type: 'Opaque',
    // Not `stringData`, which kubectl would write anew each time.
    data: { INFRA_ID: base64(infraID), ACCESS_KEY: base64(accessKey) },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
