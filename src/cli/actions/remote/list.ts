import { EXIT } from '../../../process/exit-codes.ts';
import { openRemote, type RemoteOptions } from '../../remote/open-remote.ts';
import { type OutputFormat, renderRows } from '../../remote/print-rows.ts';
import { createProject, listProjects, projectOf } from '../../remote/projects.ts';
import { askWithOutcome } from '../../remote/remote-outcome.ts';
import { VIEWS, type View, type ViewName } from '../../remote/views.ts';

/** Options of all commands that show something. */
export interface ListOptions extends RemoteOptions {
  readonly output: OutputFormat;
}

/** Prints what a project has of a noun. */
export async function list(noun: ViewName, options: ListOptions): Promise<number> {
  const remote = await openRemote(options, process.env);
  const { projectID } = await projectOf(remote);
  const { document, variables, rows, columns }: View = VIEWS[noun];
  const documentOf = typeof document === 'string' ? () => document : document;
  const data = await askWithOutcome(remote.client, documentOf, { p: projectID, ...variables });
  // Each view reads the answer of its own document.
  console.log(renderRows(rows(data as never) ?? [], columns, options.output));
  return EXIT.pass;
}

/** Prints the projects of who is signed in. */
export async function projects(options: ListOptions): Promise<number> {
  const { client } = await openRemote(options, process.env);
  const rows = (await listProjects(client)).map((project) => ({ ...project }));
  console.log(
    renderRows(
      rows,
      [
        ['NAME', ({ name }) => name],
        ['MEMBERS', ({ members }) => (Array.isArray(members) ? members.length : '')],
        ['ID', ({ projectID }) => projectID],
      ],
      options.output,
    ),
  );
  return EXIT.pass;
}

/** Makes a project that the caller owns. */
export async function makeProject(name: string, options: RemoteOptions): Promise<number> {
  const { client } = await openRemote(options, process.env);
  const { projectID } = await createProject(client, name);
  console.log(`project ${name} made (${projectID})`);
  return EXIT.pass;
}

/** Prints the users; for administrators. */
export async function users(options: ListOptions): Promise<number> {
  const { client } = await openRemote(options, process.env);
  const found = await client.rest<readonly Readonly<Record<string, unknown>>[]>('GET', '/users');
  console.log(
    renderRows(
      found,
      [
        ['USERNAME', ({ username }) => username],
        ['ROLE', ({ role }) => role],
        ['NAME', ({ name }) => name],
        ['EMAIL', ({ email }) => email],
        ['STATE', ({ deactivatedAt }) => (deactivatedAt ? 'deactivated' : 'active')],
      ],
      options.output,
    ),
  );
  return EXIT.pass;
}
