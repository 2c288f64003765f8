import { openRemote, type RemoteOptions } from './open-remote.ts';
import { projectOf } from './projects.ts';
import type { RemoteClient } from './remote-client.ts';

/** A project at a control plane, and who is signed in there. */
export interface Place {
  readonly client: RemoteClient;
  /** ID. */
  readonly project: string;
}

/** The project that the options say. @throws CommandError */
export async function placeOf(options: RemoteOptions): Promise<Place> {
  const remote = await openRemote(options, process.env);
  return { client: remote.client, project: (await projectOf(remote)).projectID };
}

/** Options of what has a name: the answer as it is, or a line of it. */
export interface AnswerOptions extends RemoteOptions {
  readonly output: 'table' | 'json' | 'yaml';
}
