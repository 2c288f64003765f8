import { packageVersion } from '../../../process/version.ts';
import type { Context } from '../../access/context.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import { parseNodeSelector } from '../registration/node-selector.ts';
import { accessKeyOf } from './access-key.ts';
import { addressForAgents } from './address-for-agents.ts';

/** The current manifest of an infrastructure, with its current key. */
export async function manifestOf(row: InfraRow, { plane, origin }: Context): Promise<string> {
  const { settings } = plane;
  // Loaded on demand: the definitions alone are larger than everything else that the server loads at startup.
  const { renderManifest } = await import('../../../services/install/agent/render-manifest.ts');
  return renderManifest(
    {
      infraID: row.id,
      accessKey: accessKeyOf(row, plane),
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
    },
    row.flavour,
  );
}
