import { packageVersion } from '../../../process/version.ts';
import type { Registration } from '../../../services/install/agent/registration.ts';
import type { Context } from '../../access/context.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import { parseNodeSelector } from '../registration/node-selector.ts';
import { accessKeyOf } from './access-key.ts';
import { addressForAgents } from './address-for-agents.ts';

/** The current manifest of an infrastructure, with its current key. */
export async function manifestOf(row: InfraRow, context: Context): Promise<string> {
  // Loaded on demand: the definitions alone are larger than everything else that the server loads at startup.
  const { renderManifest } = await import('../../../services/install/agent/render-manifest.ts');
  return renderManifest(registrationOf(row, accessKeyOf(row, context.plane), context), row.flavour);
}

/** The Secret of an infrastructure's agent with this key, as YAML. */
export async function secretManifest(row: InfraRow, accessKey: string, context: Context): Promise<string> {
  const { renderSecret } = await import('../../../services/install/agent/render-manifest.ts');
  return renderSecret(registrationOf(row, accessKey, context));
}

function registrationOf(row: InfraRow, accessKey: string, { plane, origin }: Context): Registration {
  const { settings } = plane;
  return {
    infraID: row.id,
    accessKey,
    isConfirmed: row.confirmed === 1,
    scope: row.scope,
    namespace: row.namespace,
    serviceAccount: row.service_account,
    namespaceExists: row.namespace_exists === 1,
    serviceAccountExists: row.service_account_exists === 1,
    startTime: row.start_time,
    serverAddress: `${addressForAgents(origin.serverUrl, settings).replace(/\/+$/, '')}/query`,
    version: settings.version,
    skipSsl: row.skip_ssl === 1,
    ca: settings.agentCa,
    nodeSelector: parseNodeSelector(row.node_selector),
    tolerations: JSON.parse(row.tolerations),
    image: settings.agentImage ?? `turnsole/turnsole:${packageVersion()}`,
  };
}
