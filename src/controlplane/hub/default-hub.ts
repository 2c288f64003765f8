import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import type { ChaosHubStatus } from '../schema/generated/types.ts';
import { HubFolder } from './content/hub-folder.ts';
import { type HubTotals, hubTotals } from './content/read-hub.ts';

/** Id of the default hub of every project; clients of LitmusChaos know it. */
export const DEFAULT_HUB_ID = '6f39cea9-6264-4951-83a8-29976b614289';

/** Its name, which no other hub of a project may have. */
export const DEFAULT_HUB_NAME = 'Litmus ChaosHub';

/** The hub in this package. @throws Error if the package is incomplete */
export async function openDefaultHub(): Promise<HubFolder> {
  const path = join(PACKAGE_ROOT, 'deploy', 'hub');
  const hub = await HubFolder.open(path);
  if (hub === undefined) throw new Error(`this package has no hub: ${path} is missing; install it anew`);
  return hub;
}

let totals: Promise<HubTotals> | undefined;

/** The default hub as a list entry. It belongs to the package, so it cannot be changed, synced or deleted. */
export async function defaultHubStatus(): Promise<ChaosHubStatus> {
  totals ??= openDefaultHub().then(hubTotals);
  const { faults, experiments } = await totals;
  return {
    ...{
      id: DEFAULT_HUB_ID,
      name: DEFAULT_HUB_NAME,
      description: 'Faults and experiments that come with the server.',
    },
    ...{ repoURL: '', repoBranch: '', remoteHub: '', hubType: 'GIT', isPrivate: false, isDefault: true },
    ...{
      authType: 'NONE',
      token: null,
      userName: null,
      password: null,
      sshPrivateKey: null,
      sshPublicKey: null,
    },
    ...{
      isAvailable: true,
      totalFaults: String(faults),
      totalExperiments: String(experiments),
      lastError: null,
    },
    ...{ tags: [], createdBy: null, updatedBy: null, createdAt: '0', updatedAt: '0', lastSyncedAt: '0' },
    isRemoved: false,
  };
}
