/** The user's own credentials: what `docker login` and `podman login` have kept. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseObject, textOf } from '@turnsole/kube/text/json';
import { ImageError } from '../errors.ts';
import { DOCKER_HUB } from '../reference/image-name.ts';
import type { CredentialSource, RegistryCredentials } from '../types.ts';
import { findAuth, parseDockerConfig } from './docker-config.ts';

/** The name that `docker login` gives programs for the Hub. */
const HUB_KEY = 'https://index.docker.io/v1/';
/** What programs answer for registries that they do not know. */
const UNKNOWN = /credentials not found|not found in native keychain|no credentials/i;
/** User name that says that the secret is a token. */
const TOKEN = '<token>';
/** A program that asks somebody would wait for ever. */
const PROGRAM_LIMIT_MS = 30_000;

/** Files are read for each question: a login of another terminal counts at once. */
export function userCredentials(env: NodeJS.ProcessEnv): CredentialSource {
  return async (registry, repository) => {
    for (const path of configFiles(env)) {
      const config = readIfThere(path);
      if (config === undefined) continue;
      const { auths, helpers, store } = parseDockerConfig(config, path);
      const program = findAuth(helpers, registry, repository) ?? store;
      const fromProgram = program === undefined ? undefined : await askProgram(program, registry, env);
      const found = fromProgram ?? findAuth(auths, registry, repository);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function configFiles(env: NodeJS.ProcessEnv): string[] {
  const {
    HOME: home = homedir(),
    DOCKER_CONFIG: folder,
    REGISTRY_AUTH_FILE: file,
    XDG_RUNTIME_DIR: runtime,
  } = env;
  return [
    ...(file ? [file] : []),
    join(folder || join(home, '.docker'), 'config.json'),
    ...(runtime ? [join(runtime, 'containers', 'auth.json')] : []),
    join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'containers', 'auth.json'),
  ];
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return undefined;
    throw new ImageError('unauthorized', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Asks `docker-credential-<name> get` (docker-credential-helpers): the registry on its input, JSON on its output. */
async function askProgram(
  name: string,
  registry: string,
  env: NodeJS.ProcessEnv,
): Promise<RegistryCredentials | undefined> {
  const program = `docker-credential-${name}`;
  const failed = (why: string, cause?: unknown): ImageError =>
    new ImageError('unauthorized', `${program} gives no credentials for ${registry}: ${why}`, { cause });
  if (!/^[\w.-]+$/.test(name)) throw failed('that is no name of a program');
  const child = spawn(program, ['get'], { env, stdio: ['pipe', 'pipe', 'pipe'], timeout: PROGRAM_LIMIT_MS });
  child.stdin.on('error', () => {});
  child.stdin.end(`${registry === DOCKER_HUB ? HUB_KEY : registry}\n`);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(failed(messageOf(error), error)));
    child.once('close', resolve);
  });
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) {
    const said = `${output}${errors}`.trim();
    if (UNKNOWN.test(said)) return undefined;
    throw failed(said.split('\n')[0] || `it ended with ${code ?? 'a signal'}`);
  }
  const answer = parseObject(output);
  const [username, secret] = [textOf(answer?.['Username']), textOf(answer?.['Secret'])];
  if (secret === '') return undefined;
  return username === TOKEN ? { identityToken: secret } : { username, password: secret };
}
