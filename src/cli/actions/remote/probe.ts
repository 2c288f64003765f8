import { readFile } from 'node:fs/promises';
import { messageOf } from '@turnsole/kube/text/error-message';
import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { type AnswerOptions, placeOf } from '../../remote/place.ts';
import { printable, renderObject } from '../../remote/print-rows.ts';
import { readProbe } from '../../remote/probes.ts';

const NAMES = 'query ($p: ID!) { listProbes(projectID: $p) { name } }';
const ADD = 'mutation ($p: ID!, $r: ProbeRequest!) { addProbe(projectID: $p, request: $r) { name } }';
const UPDATE = 'mutation ($p: ID!, $r: ProbeRequest!) { updateProbe(projectID: $p, request: $r) }';
const DELETE = 'mutation ($p: ID!, $n: ID!) { deleteProbe(projectID: $p, probeName: $n) }';
const YAML = 'query ($p: ID!, $r: GetProbeYAMLRequest!) { getProbeYAML(projectID: $p, request: $r) }';

/** Saves the probe of a file, in the form of an engine's; one of that name is changed. @throws CommandError */
export async function save(file: string, options: RemoteOptions): Promise<number> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`cannot read ${file}: ${messageOf(error)}`, 'OPTION_INVALID', { cause: error });
  });
  const request = readProbe(file, text);
  const { client, project } = await placeOf(options);
  const { listProbes } = await client.graphql<{
    readonly listProbes: readonly { readonly name: string }[] | null;
  }>(NAMES, { p: project });
  const isKnown = (listProbes ?? []).some(({ name }) => name === request.name);
  await client.graphql(isKnown ? UPDATE : ADD, { p: project, r: request });
  console.log(`probe ${printable(request.name)} ${isKnown ? 'changed' : 'saved'}`);
  return EXIT.pass;
}

/** Prints a probe in the form of an engine's. */
export async function show(name: string, options: AnswerOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const { getProbeYAML } = await client.graphql<{ readonly getProbeYAML: string }>(YAML, {
    p: project,
    r: { probeName: name, mode: 'SOT' },
  });
  const { mode: _, ...probe } = JSON.parse(getProbeYAML) as { readonly mode: unknown };
  console.log(renderObject(probe, options.output === 'json' ? 'json' : 'yaml'));
  return EXIT.pass;
}

export async function remove(name: string, options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  await client.graphql(DELETE, { p: project, n: name });
  console.log(`probe ${printable(name)} deleted`);
  return EXIT.pass;
}
