import type { RemoteClient } from '../remote/remote-client.ts';

/** The wanted infrastructure. */
export interface WantedInfra {
  readonly projectID: string;
  readonly environmentID: string;
  readonly name: string;
  readonly namespace: string;
  readonly scope: 'cluster' | 'namespace';
  readonly skipSsl: boolean;
}

/** A registered infrastructure with the objects of its agent, as YAML. */
export interface Registered {
  readonly infraID: string;
  readonly manifest: string;
  /** True when it was there already. */
  readonly wasThere: boolean;
}

const ENVIRONMENTS = `query ($p: ID!) { listEnvironments(projectID: $p) { environments { environmentID name } } }`;
const CREATE_ENVIRONMENT = `mutation ($p: ID!, $r: CreateEnvironmentRequest) {
  createEnvironment(projectID: $p, request: $r) { environmentID }
}`;
const INFRAS = `query ($p: ID!, $r: ListInfraRequest) {
  listInfras(projectID: $p, request: $r) { infras { infraID name environmentID isRemoved } }
}`;
const REGISTER = `mutation ($p: ID!, $r: RegisterInfraRequest!) {
  registerInfra(projectID: $p, request: $r) { infraID manifest }
}`;
const MANIFEST = `query ($p: ID!, $i: ID!) { getInfraManifest(infraID: $i, upgrade: true, projectID: $p) }`;

/** Makes the environment where it is missing. @returns whether it was made */
export async function ensureEnvironment(client: RemoteClient, project: string, id: string): Promise<boolean> {
  const { listEnvironments } = await client.graphql<{
    listEnvironments: { environments: readonly { environmentID: string }[] | null };
  }>(ENVIRONMENTS, { p: project });
  if (listEnvironments.environments?.some(({ environmentID }) => environmentID === id) === true) return false;
  const r = { environmentID: id, name: id, type: 'NON_PROD' };
  await client.graphql(CREATE_ENVIRONMENT, { p: project, r });
  return true;
}

/** Registers the infrastructure; if the environment has one of that name, reads its manifest again. */
export async function ensureInfra(client: RemoteClient, wanted: WantedInfra): Promise<Registered> {
  const { projectID: p, environmentID, name } = wanted;
  const r = { environmentIDs: [environmentID], filter: { name } };
  const { listInfras } = await client.graphql<{
    listInfras: { infras: readonly { infraID: string; name: string; isRemoved: boolean }[] };
  }>(INFRAS, { p, r });
  const known = listInfras.infras.find((infra) => infra.name === name && !infra.isRemoved);
  if (known !== undefined) {
    const { infraID } = known;
    return { infraID, manifest: await presentManifest(client, p, infraID), wasThere: true };
  }
  const { registerInfra } = await client.graphql<{ registerInfra: { infraID: string; manifest: string } }>(
    REGISTER,
    {
      p,
      r: registrationOf(wanted),
    },
  );
  return { ...registerInfra, wasThere: false };
}

/** The manifest of an infrastructure as the server would write it now, with the key that it holds. */
export async function presentManifest(client: RemoteClient, project: string, infra: string): Promise<string> {
  const variables = { p: project, i: infra };
  const { getInfraManifest } = await client.graphql<{ getInfraManifest: string }>(MANIFEST, variables);
  return getInfraManifest;
}

function registrationOf({ name, environmentID, namespace, scope, skipSsl }: WantedInfra): object {
  return {
    ...{ name, environmentID, skipSsl, infraNamespace: namespace, serviceAccount: 'litmus' },
    ...{ infrastructureType: 'Kubernetes', platformName: 'Others', infraScope: scope },
    ...{ infraNsExists: false, infraSaExists: false, description: '', tags: [] },
  };
}
