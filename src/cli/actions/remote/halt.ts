import { EXIT } from '../../../process/exit-codes.ts';
import { openRemote } from '../../remote/open-remote.ts';
import { renderRows } from '../../remote/print-rows.ts';
import { projectOf } from '../../remote/projects.ts';
import type { Row, View } from '../../remote/views.ts';
import type { ListOptions } from './list.ts';

const FIELDS = 'infraName isActive isHalted reason state message reverted left';
const DOCUMENTS = {
  halt: `mutation ($p: ID!, $reason: String!) { found: haltChaos(projectID: $p, reason: $reason) { ${FIELDS} } }`,
  resume: `mutation ($p: ID!) { found: resumeChaos(projectID: $p) { ${FIELDS} } }`,
  show: `query ($p: ID!) { found: haltStatus(projectID: $p) { ${FIELDS} } }`,
} as const;

const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const COLUMNS: View['columns'] = [
  ['INFRA', ({ infraName }) => infraName],
  ['CHAOS', ({ isHalted }) => (isHalted === true ? 'halted' : 'allowed')],
  ['AGENT', ({ isActive }) => (isActive === true ? 'connected' : 'away')],
  ['STATE', ({ state }) => state],
  ['REVERTED', ({ reverted }) => count(reverted)],
  ['LEFT', ({ left }) => count(left)],
  ['MESSAGE', ({ message, reason }) => message || reason],
];

/** Halts all chaos of a project, allows it again, or shows how far that has come in each of its clusters. */
export async function halt(
  what: keyof typeof DOCUMENTS,
  options: ListOptions & { readonly reason?: string },
): Promise<number> {
  const remote = await openRemote(options, process.env);
  const { projectID } = await projectOf(remote);
  const variables = { p: projectID, ...(options.reason !== undefined && { reason: options.reason }) };
  const { found } = await remote.client.graphql<{ found: readonly Row[] }>(DOCUMENTS[what], variables);
  console.log(renderRows(found, COLUMNS, options.output));
  return EXIT.pass;
}
