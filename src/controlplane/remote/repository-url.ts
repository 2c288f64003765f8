import { hasControls } from './has-controls.ts';
import { RemoteError } from './remote-error.ts';

/** The parsed address of a repository. */
export interface RepositoryUrl {
  readonly transport: 'http' | 'ssh';
  /** The address for git, without a password. */
  readonly url: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ssh:': 22 };

/**
 * `git@host:path`, the short form of ssh, without `://`. Without a user, the host has a dot: `javascript:x` and `data:x` are addresses of other
 * schemes, which pages would follow.
 */
const SHORT =
  /^(?:([A-Za-z0-9._-]+)@|(?=[^:]*\.))([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):(?!\/\/)([^\s:][^\s]*)$/;

/**
 * Reads the address of a repository: https, http or ssh, which name no program and no file of this machine. Pure.
 *
 * @throws RemoteError for anything else, and for an address with a password, which would be stored unsealed
 */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  const trimmed = text.trim();
  const short = trimmed.includes('://') ? null : SHORT.exec(trimmed);
  const full = short === null ? trimmed : `ssh://${short[1] ?? 'git'}@${short[2]}/${short[3]}`;
  const parsed = URL.canParse(full) ? new URL(full) : undefined;
  const port = parsed && PORTS[parsed.protocol];
  if (parsed === undefined || port === undefined || parsed.hostname === '' || hasControls(trimmed)) {
    throw new RemoteError(
      `${JSON.stringify(shown(trimmed))} is no address of a repository: expected https://, http://, ssh:// or user@host:path`,
    );
  }
  const transport = parsed.protocol === 'ssh:' ? 'ssh' : 'http';
  if (parsed.password !== '' || (transport === 'http' && parsed.username !== '')) {
    throw new RemoteError('the address of the repository holds credentials: give them in their own fields');
  }
  const host = decodeURIComponent(parsed.hostname).replace(/^\[|\]$/g, '');
  if (!/^[A-Za-z0-9._:-]+$/.test(host) || host.startsWith('-')) {
    throw new RemoteError(`${JSON.stringify(host)} is no name of a host`);
  }
  if (!/^[A-Za-z0-9._-]*$/.test(parsed.username) || parsed.username.startsWith('-')) {
    throw new RemoteError(`${JSON.stringify(parsed.username)} is no name of a user`);
  }
  if (transport === 'ssh' && parsed.username === '') parsed.username = 'git';
  return { transport, url: parsed.href, host, port: parsed.port === '' ? port : Number(parsed.port) };
}

/** Whether two addresses of repositories have the same server and protocol; not if one is no address any more. Pure. */
export function isSameServer(before: string, after: string): boolean {
  const [a, b] = [parsedOrNone(before), parsedOrNone(after)];
  if (a === undefined || b === undefined) return false;
  return new URL(a.url).protocol === new URL(b.url).protocol && a.host === b.host && a.port === b.port;
}

function parsedOrNone(text: string): RepositoryUrl | undefined {
  try {
    return parseRepositoryUrl(text);
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

/** An address in the form for messages, without a password. */
function shown(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//').slice(0, 200);
}

/**
 * The name of a branch or tag, which git must not take for an option or an expression. Pure.
 *
 * @throws RemoteError naming it
 */
export function checkedRef(name: string): string {
  const isRef =
    /^[A-Za-z0-9_][A-Za-z0-9._/+@#=,-]{0,254}$/.test(name) &&
    !/\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(name);
  if (!isRef) throw new RemoteError(`${JSON.stringify(name.slice(0, 100))} is no name of a branch or tag`);
  return name;
}
