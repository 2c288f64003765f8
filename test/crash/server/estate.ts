import { systemClock } from '@turnsole/kube/base/clock';
import { RemoteClient } from '../../../src/cli/remote/remote-client.ts';
import { systemIds } from '../../../src/controlplane/access/ids.ts';
import { Passwords } from '../../../src/controlplane/access/passwords.ts';
import { keyHash } from '../../../src/controlplane/access/secret-box.ts';
import { SHOP } from '../../../src/controlplane/experiment/testing/scene.ts';
import { executionText } from '../../../src/controlplane/run/testing/execution.ts';
import { openStore, type StoreLocation } from '../../../src/controlplane/store/open.ts';
import { ACCOUNTS, projectScope } from '../../../src/controlplane/store/store.ts';
import { FIRST_USER } from './server-process.ts';

const VERSION = '3.31.0';

/** A project with agents, written before its server starts, and clients of both. */
export interface Estate {
  readonly project: string;
  /** Each is an infrastructure whose agent has confirmed itself. */
  readonly agents: readonly {
    readonly infraID: string;
    readonly accessKey: string;
    readonly version: string;
  }[];
}

/** Writes an administrator with a project and agents into an empty database. */
export async function writeEstate(location: StoreLocation, agents: number): Promise<Estate> {
  const store = await openStore(location, { clock: systemClock });
  try {
    const [project, user] = [systemIds.id(), systemIds.id()];
    const password_hash = await new Passwords().hash(FIRST_USER.password);
    const identities = Array.from({ length: agents }, () => ({
      ...{ infraID: systemIds.id(), accessKey: systemIds.secret(32), version: VERSION },
    }));
    await store.transaction(ACCOUNTS, async ({ db, now }) => {
      const made = { created_at: now, updated_at: now, created_by: 'admin', updated_by: 'admin' };
      const { username } = FIRST_USER;
      await db
        .insertInto('users')
        .values({
          ...{ id: user, username, name_key: username, password_hash, email: '', name: '', role: 'admin' },
          ...{
            initial_login: 0,
            deactivated_at: null,
            oidc_subject: null,
          },
          ...made,
        })
        .execute();
      await db
        .insertInto('projects')
        .values({ id: project, name: 'estate', description: '', tags: '[]', removed: 0, ...made })
        .execute();
      const joined = { invited_at: now, joined_at: now };
      const member = { project_id: project, user_id: user, role: 'Owner', invitation: 'Accepted' } as const;
      await db
        .insertInto('members')
        .values({ ...member, ...joined })
        .execute();
    });
    for (const [index, { infraID, accessKey }] of identities.entries()) {
      await store.transaction(projectScope(project), async ({ db, now }) => {
        await db
          .insertInto('infras')
          .values({
            ...{
              id: infraID,
              project_id: project,
              environment_id: 'test',
              name: `cluster-${index}`,
              description: '',
            },
            ...{
              tags: '[]',
              platform_name: 'Others',
              scope: 'cluster',
              namespace: 'litmus',
              service_account: 'litmus',
            },
            ...{
              namespace_exists: 1,
              service_account_exists: 1,
              skip_ssl: 0,
              node_selector: '',
              tolerations: '[]',
            },
            ...{
              flavour: 'turnsole',
              sealed_access_key: '',
              access_key_hash: keyHash(accessKey),
              former_key_hash: null,
            },
            ...{
              registered: 1,
              confirmed: 1,
              active: 0,
              connection_id: null,
              seen_at: null,
              contested_until: null,
            },
            ...{ version: VERSION, start_time: now, removed: 0, created_at: now, updated_at: now },
            ...{ created_by: 'admin', updated_by: 'admin' },
          })
          .execute();
      });
    }
    return { project, agents: identities };
  } finally {
    await store.close();
  }
}

/** Signs the administrator in. */
export async function signIn(url: string): Promise<RemoteClient> {
  const { accessToken } = await new RemoteClient({ url }).rest<{ accessToken: string }>(
    'POST',
    '/login',
    FIRST_USER,
  );
  return new RemoteClient({ url, token: accessToken });
}

/** Saves an experiment called like its ID. */
export async function saveExperiment(
  client: RemoteClient,
  p: string,
  id: string,
  infraID: string,
): Promise<void> {
  const query = `mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }`;
  const object = JSON.parse(SHOP) as { metadata: object };
  const manifest = JSON.stringify({ ...object, metadata: { ...object.metadata, name: id } });
  await client.graphql(query, { p, r: { id, name: id, description: '', manifest, infraID } });
}

/** Begins a run. @returns what it was answered with */
export async function beginRun(client: RemoteClient, p: string, id: string): Promise<string> {
  const query = `mutation ($p: ID!, $id: String!) { runChaosExperiment(projectID: $p, experimentID: $id) { notifyID } }`;
  const { runChaosExperiment } = await client.graphql<{ runChaosExperiment: { notifyID: string } }>(query, {
    p,
    id,
  });
  return runChaosExperiment.notifyID;
}

/** The accounts of a run that agents give, from its beginning to its end. */
export const ACCOUNTS_OF_RUN = [
  executionText([]),
  executionText([{ engineName: 'pod-delete', phase: 'Running' }]),
  executionText([{ engineName: 'pod-delete', experimentVerdict: 'Pass', probeSuccessPercentage: '100' }], {
    phase: 'Completed',
    finishedAt: '9',
  }),
] as const;

/** What an agent tells of a run. */
export async function tellRun(
  client: RemoteClient,
  agent: Estate['agents'][number],
  event: {
    readonly experimentID: string;
    readonly runID: string;
    readonly notifyID?: string;
    readonly step: 0 | 1 | 2;
  },
): Promise<void> {
  const { experimentID, runID, notifyID, step } = event;
  await client.graphql(`mutation ($r: ExperimentRunRequest!) { chaosExperimentRun(request: $r) }`, {
    r: {
      ...{ experimentID, experimentRunID: runID, experimentName: experimentID, infraID: agent },
      ...(notifyID !== undefined && { notifyID }),
      ...{ revisionID: '', completed: step === 2, updatedBy: '', isRemoved: false },
      executionData: Buffer.from(ACCOUNTS_OF_RUN[step]).toString('base64'),
    },
  });
}
