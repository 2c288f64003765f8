import { recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { refusing } from '../access/refusing.ts';
import {
  checkedRef,
  decideProof,
  refuseGivenFile,
  refuseGivenRepository,
  storedProof,
} from '../remote/index.ts';
import type { ChaosHub, CreateChaosHubRequest, CreateRemoteChaosHub } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { type Authored, madeBy } from '../store/tables/columns.ts';
import type { HubRow } from '../store/tables/hubs.ts';
import { HUB_PROOF, ignoreRemote, refreshInTime, remoteRefusal } from './copies.ts';
import { refuseDetails, refuseName } from './details.ts';
import { asHub, hubRows, MOST_HUBS } from './hubs.ts';

/** Adds a hub in a Git repository, without reading it. @throws Refusal */
export async function saveHub(request: CreateChaosHubRequest, context: Context): Promise<HubRow> {
  const { allowed } = context.plane.settings.remote.reach;
  refusing('request.repoURL', () => refuseGivenRepository(request.repoURL, allowed));
  refusing('request.repoBranch', () => checkedRef(request.repoBranch));
  const proof = refusing('request', () => decideProof(request, undefined));
  return store(context, {
    ...detailsOf(request),
    ...{ hub_type: 'GIT', repo_url: request.repoURL.trim(), repo_branch: request.repoBranch },
    private: request.isPrivate ? 1 : 0,
    ...storedProof(proof, HUB_PROOF, context.plane.secrets),
    ssh_public_key: request.sshPublicKey ?? '',
  });
}

/** Adds a hub in a Git repository and reads it. If that fails, the hub is added anyway, with the error. @throws Refusal */
export async function addHub(request: CreateChaosHubRequest, context: Context): Promise<ChaosHub> {
  const row = await saveHub(request, context);
  // The error is stored with the hub: as with upstream, it is no error of this operation.
  await refreshInTime(context.plane, row).catch(ignoreRemote);
  return asHub(row);
}

/** Adds a hub in a zip file and reads it. @throws Refusal also if it cannot be read; the hub is added then */
export async function addRemoteHub(request: CreateRemoteChaosHub, context: Context): Promise<ChaosHub> {
  const { allowed } = context.plane.settings.remote.reach;
  refusing('request.repoURL', () => refuseGivenFile(request.repoURL, allowed));
  const row = await store(context, {
    ...detailsOf(request),
    ...{ hub_type: 'REMOTE', repo_url: request.repoURL.trim(), repo_branch: '', private: 0 },
    ...{ auth_type: 'NONE', user_name: '', sealed_secret: null, ssh_public_key: '' },
  });
  try {
    await refreshInTime(context.plane, row);
  } catch (error) {
    throw remoteRefusal(error, 'Hub configurations saved successfully. Failed to connect the remote repo: ');
  }
  return asHub(row);
}

function detailsOf({ name, description, tags, remoteHub }: CreateRemoteChaosHub) {
  refuseDetails({ name, description, tags });
  return {
    name: name.trim(),
    description: description ?? '',
    tags: JSON.stringify(tags ?? []),
    remote_hub: remoteHub,
  };
}

type NewHub = Omit<HubRow, 'id' | 'project_id' | 'synced_at' | 'last_error' | 'removed' | keyof Authored>;

async function store(context: Context, hub: NewHub): Promise<HubRow> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  const id = context.plane.ids.id();
  return context.transaction(projectScope(project), async (tx) => {
    const others = await hubRows(tx.db, project);
    refuseName(hub.name, others);
    if (others.length >= MOST_HUBS) {
      throw new Refusal('too-many', `a project has at most ${MOST_HUBS} hubs; delete one that is not used`);
    }
    const row: HubRow = {
      ...hub,
      ...madeBy(username, tx.now),
      id,
      project_id: project,
      synced_at: 0,
      last_error: '',
      removed: 0,
    };
    await tx.db.insertInto('hubs').values(row).execute();
    await recordChange(tx, context, { project, kind: 'hub', id, after: asHub(row) });
    return row;
  });
}
