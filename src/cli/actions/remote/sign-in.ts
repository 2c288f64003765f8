import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import { CredentialsFile } from '../../remote/credentials.ts';
import { claimIn, normalUrl } from '../../remote/open-remote.ts';
import { listProjects } from '../../remote/projects.ts';
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
  readonly isInitialLogin?: boolean;
}

/** Signs in, and keeps the token. A password comes from TURNSOLE_PASSWORD, the terminal, or standard input. */
export async function login(server: string, options: LoginOptions): Promise<number> {
  const url = normalUrl(server);
  const { token, project, username, mustReplace } =
    options.token === undefined ? await byPassword(url, options) : await byToken(url, options.token);
  const file = new CredentialsFile(process.env);
  await file.keep(url, { token, username, ...(project !== undefined && { project }) });
  console.log(`signed in at ${url}${username === '' ? '' : ` as ${username}`}; kept in ${file.path}`);
  if (mustReplace === true) {
    console.log(`this password has to be replaced before anything else: on the page at ${url}`);
  }
  return EXIT.pass;
}

interface SignedIn {
  readonly token: string;
  readonly username: string;
  readonly project?: string;
  readonly mustReplace?: boolean;
}

/** A token that the server does not take is not kept. */
async function byToken(url: string, token: string): Promise<SignedIn> {
  await refusedAs(`${url}: this token is not valid there`, listProjects(new RemoteClient({ url, token })));
  return { token, username: claimIn(token, 'username') };
}

async function byPassword(url: string, { username }: LoginOptions): Promise<SignedIn> {
  const password =
    process.env.TURNSOLE_PASSWORD ?? (await askPassword(`password of ${username} at ${url}: `));
  const client = new RemoteClient({ url });
  const { accessToken, projectID, isInitialLogin } = await refusedAs(
    `${url}: ${username} cannot sign in with this password`,
    client.rest<LoginAnswer>('POST', '/login', { username, password }),
  );
  return {
    token: accessToken,
    username,
    mustReplace: isInitialLogin === true,
    ...(projectID !== undefined && projectID !== '' && { project: projectID }),
  };
}

/** The other errors advise to sign in, which is what has just failed. */
async function refusedAs<T>(sentence: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    throw new CommandError(sentence, 'REMOTE_REFUSED', { cause: error });
  }
}

function isSignedOut(error: unknown): boolean {
  return error instanceof CommandError && error.code === 'NOT_SIGNED_IN';
}

/** Ends the session at the server, and forgets the token in any case: a session that is over already needs no more. */
export async function logout(server: string | undefined): Promise<number> {
  const file = new CredentialsFile(process.env);
  const kept = await file.find(server === undefined ? undefined : normalUrl(server));
  if (kept === undefined) throw new CommandError('you are not signed in there', 'NOT_SIGNED_IN');
  await file.forget(kept.url);
  try {
    await new RemoteClient(kept).rest('POST', '/logout', {});
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (!isSignedOut(error)) {
      const message = `${error.message}; the sign-in is forgotten here, and its session lives until it expires`;
      throw new CommandError(message, error.code, { cause: error });
    }
  }
  console.log(`signed out at ${kept.url}`);
  return EXIT.pass;
}

/** Asks for a password on the terminal without showing it; without a terminal it is the first line of standard input. */
async function askPassword(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}
