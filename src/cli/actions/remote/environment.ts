import { randomUUID } from 'node:crypto';
import { EXIT } from '../../../process/exit-codes.ts';
import { oneNamed } from '../../remote/one-named.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { type AnswerOptions, placeOf } from '../../remote/place.ts';
import { printable, renderObject } from '../../remote/print-rows.ts';
import { type Row, VIEWS } from '../../remote/views.ts';

export interface CreateEnvironmentOptions extends AnswerOptions {
  /** A word of the API in small letters. */
  readonly type: string;
}

interface Environment extends Row {
  readonly environmentID: string;
  readonly name: string;
}

const CREATE = `mutation ($p: ID!, $r: CreateEnvironmentRequest) { createEnvironment(projectID: $p, request: $r) {
  environmentID name type } }`;
const DELETE = 'mutation ($p: ID!, $i: ID!) { deleteEnvironment(projectID: $p, environmentID: $i) }';

export async function create(name: string, options: CreateEnvironmentOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const type = options.type.toUpperCase().replace('-', '_');
  const r = { environmentID: randomUUID(), name, type };
  const { createEnvironment } = await client.graphql<{ readonly createEnvironment: Environment }>(CREATE, {
    p: project,
    r,
  });
  if (options.output === 'table')
    console.log(`environment ${printable(name)} made (${createEnvironment.environmentID})`);
  else console.log(renderObject(createEnvironment, options.output));
  return EXIT.pass;
}

export async function remove(name: string, options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const { listEnvironments } = await client.graphql<{
    readonly listEnvironments: { readonly environments: readonly Environment[] | null };
  }>(VIEWS.environment.document, { p: project });
  const known = { noun: 'environment', id: 'environmentID' } as const;
  const { environmentID } = oneNamed(listEnvironments.environments ?? [], name, known);
  await client.graphql(DELETE, { p: project, i: environmentID });
  console.log(`environment ${printable(name)} deleted`);
  return EXIT.pass;
}
