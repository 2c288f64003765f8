import { randomUUID } from 'node:crypto';
import { parseAllDocuments } from 'yaml';
import { CommandError } from '../../services/errors.ts';
import { infraOf } from './infras.ts';
import type { RemoteClient } from './remote-client.ts';

/** An experiment with the IDs that commands need. */
interface RemoteExperiment {
  readonly experimentID: string;
  readonly name: string;
  readonly experimentManifest: string;
  readonly infra: { readonly infraID: string; readonly name: string } | null;
}

const FIND = `query ($p: ID!, $r: ListExperimentRequest!) { listExperiment(projectID: $p, request: $r) {
  experiments { experimentID name experimentManifest infra { infraID name } } } }`;
const SAVE = `mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }`;

/** How each kind is called in the API. */
const TYPES: Readonly<Record<string, string>> = {
  Workflow: 'Experiment',
  CronWorkflow: 'CronExperiment',
  ChaosEngine: 'ChaosEngine',
  ChaosSchedule: 'ChaosSchedule',
};

/** An experiment by its ID or name; undefined when it does not exist. */
async function findExperiment(
  client: RemoteClient,
  p: string,
  name: string,
): Promise<RemoteExperiment | undefined> {
  const { listExperiment } = await client.graphql<{
    listExperiment: { experiments: readonly RemoteExperiment[] };
  }>(FIND, { p, r: { filter: { experimentName: name } } });
  const byName = listExperiment.experiments.find((experiment) => experiment.name === name);
  if (byName !== undefined) return byName;
  const byId = await client.graphql<{
    listExperiment: { experiments: readonly RemoteExperiment[] };
  }>(FIND, { p, r: { experimentIDs: [name] } });
  return byId.listExperiment.experiments.find(({ experimentID }) => experimentID === name);
}

/** @throws CommandError when no experiment has that ID or name */
export async function experimentOf(
  client: RemoteClient,
  project: string,
  name: string,
): Promise<RemoteExperiment> {
  const found = await findExperiment(client, project, name);
  if (found === undefined)
    throw new CommandError(`there is no experiment ${JSON.stringify(name)}`, 'NOT_FOUND');
  return found;
}

/** A manifest as the API takes it. */
interface ReadExperiment {
  readonly name: string;
  readonly type: string;
  /** JSON text. */
  readonly manifest: string;
}

/** Reads a file's one experiment. @throws CommandError (bad input) */
export function readExperiment(file: string, text: string): ReadExperiment {
  const documents = parseAllDocuments(text).filter(({ contents }) => contents !== null);
  const [document, ...more] = documents;
  const problem = document?.errors[0]?.message;
  if (document === undefined || problem !== undefined || more.length > 0) {
    const why = problem ?? `expected one document, found ${documents.length}`;
    throw new CommandError(`${file}: ${why}`, 'OPTION_INVALID');
  }
  const object = document.toJS() as { kind?: unknown; metadata?: { name?: unknown; generateName?: unknown } };
  const { name = String(object.metadata?.generateName ?? '').replace(/-$/, '') } = object.metadata ?? {};
  const type = TYPES[String(object.kind)];
  if (type === undefined || typeof name !== 'string' || name === '') {
    const kinds = Object.keys(TYPES).join(', ');
    throw new CommandError(`${file}: expected one of ${kinds}, with a name`, 'OPTION_INVALID');
  }
  return { name, type, manifest: JSON.stringify(object) };
}

/** Saves an experiment; one of that name is given a new revision. @returns its ID */
export async function saveExperiment(
  client: RemoteClient,
  project: string,
  { name, type, manifest }: ReadExperiment,
  infra: string | undefined,
): Promise<string> {
  const known = await findExperiment(client, project, name);
  const infraID =
    infra === undefined ? known?.infra?.infraID : (await infraOf(client, project, infra)).infraID;
  if (infraID === undefined) {
    throw new CommandError(
      `experiment ${name} is new: say where it runs with --infra NAME`,
      'OPTION_INVALID',
    );
  }
  const id = known?.experimentID ?? randomUUID();
  await client.graphql(SAVE, {
    p: project,
    r: { id, type, name, description: '', manifest, infraID, tags: [] },
  });
  return id;
}
