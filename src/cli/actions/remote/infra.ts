import { EXIT } from '../../../process/exit-codes.ts';
import { infraOf } from '../../remote/infras.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { type AnswerOptions, placeOf } from '../../remote/place.ts';
import { printable, renderObject } from '../../remote/print-rows.ts';
import type { Row } from '../../remote/views.ts';

const FIELDS = `infraID name description tags environmentID platformName infraNamespace serviceAccount infraScope
  isActive isInfraConfirmed version updateStatus noOfExperiments noOfExperimentRuns startTime`;
const SHOW = `query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { ${FIELDS} } }`;
const MANIFEST = 'query ($p: ID!, $i: ID!) { getInfraManifest(projectID: $p, infraID: $i, upgrade: true) }';
const DELETE = 'mutation ($p: ID!, $i: String!) { deleteInfra(projectID: $p, infraID: $i) }';

export async function show(name: string, options: AnswerOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const { infraID } = await infraOf(client, project, name);
  const { getInfra } = await client.graphql<{ readonly getInfra: Row }>(SHOW, { p: project, i: infraID });
  console.log(renderObject(getInfra, options.output));
  return EXIT.pass;
}

/** Prints the objects of its agent as YAML, with the agent's key. */
export async function manifest(name: string, options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const { infraID } = await infraOf(client, project, name);
  const { getInfraManifest } = await client.graphql<{ readonly getInfraManifest: string }>(MANIFEST, {
    p: project,
    i: infraID,
  });
  console.log(getInfraManifest.trimEnd());
  return EXIT.pass;
}

/** Deletes it; the server orders its agent to leave the cluster. */
export async function remove(name: string, options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const { infraID } = await infraOf(client, project, name);
  const { deleteInfra } = await client.graphql<{ readonly deleteInfra: string }>(DELETE, {
    p: project,
    i: infraID,
  });
  console.log(`infrastructure ${printable(name)}: ${printable(deleteInfra)}`);
  return EXIT.pass;
}
