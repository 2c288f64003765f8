import { CommandError } from '../../services/errors.ts';
import { LocalServers } from '../server/local-servers.ts';
import { CredentialsFile } from './credentials.ts';
import { RemoteClient } from './remote-client.ts';

/** Options that say which server and project a command works with. */
export interface RemoteOptions {
  readonly server?: string;
  /** ID or name. */
  readonly project?: string;
}

/** A server and the user's sign-in at it. */
export interface Remote {
  readonly client: RemoteClient;
  readonly username: string;
  /** Empty where the token does not say it. */
  readonly userID: string;
  /** ID or name of the wanted project; undefined: the user's own. */
  readonly wantedProject: string | undefined;
}

/**
 * The server of `--server`, else of TURNSOLE_SERVER, of the last `turnsole remote login`, or the one that runs on this machine. Its token
 * is that of TURNSOLE_TOKEN, of the sign-in, or of the server on this machine.
 *
 * @throws CommandError when no server is found, or the user is not signed in at it
 */
export async function openRemote(options: RemoteOptions, env: NodeJS.ProcessEnv): Promise<Remote> {
  const asked = options.server ?? given(env.TURNSOLE_SERVER);
  const url = asked === undefined ? undefined : normalUrl(asked);
  const kept = await new CredentialsFile(env).find(url);
  const project = options.project ?? given(env.TURNSOLE_PROJECT);
  const token = given(env.TURNSOLE_TOKEN);
  if (token !== undefined && (url ?? kept?.url) !== undefined) {
    const at = (url ?? kept?.url) as string;
    // Signing in would not help: the variable takes precedence.
    return remote(
      at,
      token,
      project,
      'the token is that of TURNSOLE_TOKEN: give another one, or unset it and sign in',
    );
  }
  if (kept !== undefined) return remote(kept.url, kept.token, project ?? kept.project);
  const local = await localServer(url, env);
  return remote(local.url, local.token, project);
}

function remote(url: string, token: string, wantedProject: string | undefined, remedy?: string): Remote {
  const client = new RemoteClient({ url, token, ...(remedy !== undefined && { remedy }) });
  return { client, username: claimIn(token, 'username'), userID: claimIn(token, 'uid'), wantedProject };
}

async function localServer(
  url: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly url: string; readonly token: string }> {
  const running = await new LocalServers(env).running();
  const candidates = running.filter((server) => url === undefined || server.url === url);
  const [first, ...more] = candidates;
  if (first === undefined) {
    const message =
      url === undefined
        ? 'there is no server: start one with "turnsole server", or sign in with "turnsole remote login URL"'
        : `you are not signed in at ${url}: "turnsole remote login ${url}"`;
    throw new CommandError(message, 'NOT_SIGNED_IN');
  }
  if (more.length > 0) {
    const urls = candidates.map((server) => server.url).join(', ');
    throw new CommandError(`several servers run here (${urls}): say which with --server`, 'OPTION_INVALID');
  }
  if (first.token === undefined) {
    const message = `you are not signed in at ${first.url}: "turnsole remote login ${first.url}"`;
    throw new CommandError(message, 'NOT_SIGNED_IN');
  }
  return { url: first.url, token: first.token };
}

/** The address as it is kept: without a slash or a query at its end. @throws CommandError (bad input) */
export function normalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '') {
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }
  throw new CommandError(
    `address of a control plane: expected http://… or https://…, found ${JSON.stringify(text)}`,
    'OPTION_INVALID',
  );
}

function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

/** A claim of a token that is a text; empty where it has none. Pure. */
export function claimIn(token: string, name: 'username' | 'uid'): string {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
    const claim = claims[name];
    return typeof claim === 'string' ? claim : '';
  } catch {
    return '';
  }
}
