import { CommandError } from '../../services/errors.ts';
import { printable } from './print-rows.ts';
import type { RemoteClient } from './remote-client.ts';

/** An infrastructure as commands choose it. */
export interface RemoteInfra {
  readonly infraID: string;
  readonly name: string;
}

const INFRAS = `query ($p: ID!, $r: ListInfraRequest) { listInfras(projectID: $p, request: $r) { infras { infraID name } } }`;
/** The most that the server gives at once. */
const MOST = 1_000;

/**
 * The infrastructure of that ID, else of that name.
 *
 * @throws CommandError when the project has none, or several of that name
 */
export async function infraOf(client: RemoteClient, project: string, wanted: string): Promise<RemoteInfra> {
  const list = async (request: object): Promise<readonly RemoteInfra[]> => {
    const r = { ...request, pagination: { page: 0, limit: MOST } };
    const { listInfras } = await client.graphql<{ listInfras: { infras: readonly RemoteInfra[] } }>(INFRAS, {
      p: project,
      r,
    });
    return listInfras.infras;
  };
  const found = [...(await list({ infraIDs: [wanted] })), ...(await list({ filter: { name: wanted } }))];
  return chooseInfra(found, wanted, async () => (await list({})).map(({ name }) => name));
}

/** @param names those that the project has, for the message */
export async function chooseInfra(
  infras: readonly RemoteInfra[],
  wanted: string,
  names: () => Promise<readonly string[]>,
): Promise<RemoteInfra> {
  const byId = infras.find(({ infraID }) => infraID === wanted);
  if (byId !== undefined) return byId;
  const named = infras.filter(({ name }) => name === wanted);
  const [first, ...others] = named;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined) {
    const ids = named.map(({ infraID }) => infraID).join(', ');
    throw new CommandError(
      `there are ${named.length} infrastructures ${JSON.stringify(wanted)}: give the ID of one of them: ${ids}`,
      'OPTION_INVALID',
    );
  }
  const there = (await names()).map(printable).join(', ');
  throw new CommandError(
    `there is no infrastructure ${JSON.stringify(wanted)}; there are: ${there || 'none'}`,
    'NOT_FOUND',
  );
}
