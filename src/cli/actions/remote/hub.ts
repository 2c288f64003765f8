import { EXIT } from '../../../process/exit-codes.ts';
import { type GitCredentialOptions, gitCredentials } from '../../remote/git-credentials.ts';
import { oneNamed } from '../../remote/one-named.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { type AnswerOptions, type Place, placeOf } from '../../remote/place.ts';
import { printable, renderObject } from '../../remote/print-rows.ts';
import type { Row } from '../../remote/views.ts';

export interface AddHubOptions extends AnswerOptions, GitCredentialOptions {
  readonly branch: string;
  /** The address is that of a zip file. */
  readonly archive?: boolean;
}

interface Hub extends Row {
  readonly id: string;
  readonly name: string;
  readonly isAvailable: boolean;
}

const UPSTREAM =
  'id name hubType repoURL repoBranch authType isAvailable totalFaults totalExperiments isDefault lastSyncedAt';
const LIST = `query ($p: ID!) { listChaosHub(projectID: $p) { ${UPSTREAM} } }`;
const ADD =
  'mutation ($p: ID!, $r: CreateChaosHubRequest!) { addChaosHub(projectID: $p, request: $r) { id } }';
const ADD_ARCHIVE =
  'mutation ($p: ID!, $r: CreateRemoteChaosHub!) { addRemoteChaosHub(projectID: $p, request: $r) { id } }';
const SYNC = 'mutation ($p: ID!, $i: ID!) { syncChaosHub(projectID: $p, id: $i) }';
const DELETE = 'mutation ($p: ID!, $i: ID!) { deleteChaosHub(projectID: $p, hubID: $i) }';

async function hubOf({ client, project }: Place, wanted: string): Promise<Hub> {
  const { listChaosHub } = await client.graphql<{ readonly listChaosHub: readonly Hub[] | null }>(LIST, {
    p: project,
  });
  return oneNamed(listChaosHub ?? [], wanted, { noun: 'hub', id: 'id' });
}

/** Adds a hub, and says whether the server could read it. @returns 1 when it could not: it is added then, and tried again */
export async function add(name: string, url: string, options: AddHubOptions): Promise<number> {
  const credentials = await gitCredentials(options, process.env);
  const place = await placeOf(options);
  const { client, project } = place;
  const isPrivate = credentials.authType !== 'NONE';
  const r = { name, repoURL: url, remoteHub: hostOf(url) };
  if (options.archive === true) await client.graphql(ADD_ARCHIVE, { p: project, r });
  else {
    const repository = { ...r, repoBranch: options.branch, isPrivate, ...credentials };
    await client.graphql(ADD, { p: project, r: repository });
  }
  const hub = await hubOf(place, name);
  if (options.output !== 'table') console.log(renderObject(hub, options.output));
  else if (hub.isAvailable)
    console.log(
      `hub ${printable(name)} added: ${printable(hub['totalFaults'])} faults, ${printable(hub['totalExperiments'])} experiments`,
    );
  else
    console.log(
      `hub ${printable(name)} added, and not read yet: "turnsole remote hub sync ${printable(name)}" says why`,
    );
  return hub.isAvailable ? EXIT.pass : EXIT.fail;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url;
}

export async function show(name: string, options: AnswerOptions): Promise<number> {
  console.log(renderObject(await hubOf(await placeOf(options), name), options.output));
  return EXIT.pass;
}

/** Reads it again now. @throws CommandError with why it cannot be read */
export async function sync(name: string, options: RemoteOptions): Promise<number> {
  const place = await placeOf(options);
  const { id } = await hubOf(place, name);
  await place.client.graphql(SYNC, { p: place.project, i: id });
  const { totalFaults, totalExperiments } = await hubOf(place, id);
  console.log(
    `hub ${printable(name)} read: ${printable(totalFaults)} faults, ${printable(totalExperiments)} experiments`,
  );
  return EXIT.pass;
}

export async function remove(name: string, options: RemoteOptions): Promise<number> {
  const place = await placeOf(options);
  const { id } = await hubOf(place, name);
  await place.client.graphql(DELETE, { p: place.project, i: id });
  console.log(`hub ${printable(name)} deleted`);
  return EXIT.pass;
}
