import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import { askPassword } from '../../remote/ask-password.ts';
import { CredentialsFile } from '../../remote/credentials.ts';
import { normalUrl, openRemote, usernameIn } from '../../remote/open-remote.ts';
import { RemoteClient } from '../../remote/remote-client.ts';

/** Options of `turnsole remote login`. */
export interface LoginOptions {
  readonly username: string;
  /** An API token, in place of name and password. */
  readonly token?: string;
}

interface LoginAnswer {
  readonly accessToken: string;
  readonly projectID?: string;
}

/** Signs in, and keeps the token. A password comes from TURNSOLE_PASSWORD, the terminal, or standard input. */
export async function login(server: string, options: LoginOptions): Promise<number> {
  const url = normalUrl(server);
  const { token, project, username } =
    options.token === undefined ? await byPassword(url, options) : byToken(options.token);
  const file = new CredentialsFile(process.env);
  await file.keep(url, { token, username, ...(project !== undefined && { project }) });
  console.log(`signed in at ${url} as ${username}; kept in ${file.path}`);
  return EXIT.pass;
}

interface SignedIn {
  readonly token: string;
  readonly username: string;
  readonly project?: string;
}

function byToken(token: string): SignedIn {
  return { token, username: usernameIn(token) };
}

async function byPassword(url: string, { username }: LoginOptions): Promise<SignedIn> {
  const password =
    process.env.TURNSOLE_PASSWORD ?? (await askPassword(`password of ${username} at ${url}: `));
  const client = new RemoteClient({ url });
  const { accessToken, projectID } = await client.rest<LoginAnswer>('POST', '/login', { username, password });
  return {
    token: accessToken,
    username,
    ...(projectID !== undefined && projectID !== '' && { project: projectID }),
  };
}

/** Ends the session at the server, and forgets the token in any case. */
export async function logout(server: string | undefined): Promise<number> {
  const file = new CredentialsFile(process.env);
  const kept = await file.find(server === undefined ? undefined : normalUrl(server));
  if (kept === undefined) throw new CommandError('nobody is signed in there', 'NOT_SIGNED_IN');
  const { client } = await openRemote({ server: kept.url }, { ...process.env, TURNSOLE_TOKEN: kept.token });
  try {
    await client.rest('POST', '/logout', {});
  } finally {
    await file.forget(kept.url);
  }
  console.log(`signed out at ${kept.url}`);
  return EXIT.pass;
}
