import { CommandError } from '../../services/errors.ts';
import type { Remote } from './open-remote.ts';
import type { RemoteClient } from './remote-client.ts';

/** A project as the authentication API shows it. */
export interface Project {
  readonly projectID: string;
  readonly name: string;
  readonly members?: readonly { readonly username: string; readonly role: string }[];
}

const PAGE = 50;
/** More pages no command shows. */
const MOST_PAGES = 200;

/** All projects of who is signed in. */
export async function listProjects(client: RemoteClient): Promise<Project[]> {
  const projects: Project[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data } = await client.rest<{ data?: { projects?: Project[]; totalNumberOfProjects?: number } }>(
      'GET',
      `/list_projects?page=${page}&limit=${PAGE}`,
    );
    projects.push(...(data?.projects ?? []));
    if (projects.length >= (data?.totalNumberOfProjects ?? 0)) break;
  }
  return projects;
}

/** The project that a command works in: the wanted one, else the only or own one. @throws CommandError when it does not exist */
export async function projectOf(remote: Remote): Promise<Project> {
  const projects = await listProjects(remote.client);
  const found = chooseProject(projects, remote);
  if (found !== undefined) return found;
  if (remote.wantedProject === undefined) {
    throw new CommandError('you are in no project: "turnsole remote project create NAME"', 'NOT_FOUND');
  }
  const names = projects.map(({ name }) => name).join(', ');
  const message = `there is no project ${JSON.stringify(remote.wantedProject)}; yours are: ${names || 'none'}`;
  throw new CommandError(message, 'NOT_FOUND');
}

/** The one asked for by ID or name; else the first that the user owns, else the first. Pure. */
export function chooseProject(
  projects: readonly Project[],
  { wantedProject, username }: Pick<Remote, 'wantedProject' | 'username'>,
): Project | undefined {
  if (wantedProject !== undefined) {
    return (
      projects.find(({ projectID }) => projectID === wantedProject) ??
      projects.find(({ name }) => name === wantedProject)
    );
  }
  const isOwned = ({ members = [] }: Project): boolean =>
    members.some((member) => member.username === username && member.role === 'Owner');
  return projects.find(isOwned) ?? projects[0];
}

export async function createProject(client: RemoteClient, name: string): Promise<Project> {
  const { data } = await client.rest<{ data: Project }>('POST', '/create_project', { projectName: name });
  return data;
}
