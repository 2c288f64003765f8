import { readFile } from 'node:fs/promises';
import type { Clock } from '@turnsole/kube/base/clock';
import { parseObject } from '@turnsole/kube/text/json';
import { parseTime } from '@turnsole/kube/text/time';
import { ask, elementOf } from './answer.ts';
import type { AwsKeys, CloudWatchSettings, KeySource } from './settings.ts';

/** Keys are fetched anew this long before they end, so that none ends on its way. */
const MARGIN_MS = 300_000;

interface LentKeys {
  readonly keys: AwsKeys;
  readonly endsMs: number;
}

/** Keys that requests are signed with: those of the environment, or lent ones, which are kept until shortly before they end. */
export class Credentials {
  readonly #settings: Pick<CloudWatchSettings, 'keySource' | 'tokenEndpoint'>;
  readonly #clock: Clock;
  #lent: LentKeys | undefined;

  constructor(settings: Pick<CloudWatchSettings, 'keySource' | 'tokenEndpoint'>, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @throws Error saying where keys were asked for and what came of it */
  async current(signal: AbortSignal): Promise<AwsKeys> {
    const { keySource, tokenEndpoint } = this.#settings;
    if (keySource.kind === 'keys') return keySource.keys;
    if (this.#lent !== undefined && this.#lent.endsMs - MARGIN_MS > this.#clock.now()) return this.#lent.keys;
    this.#lent =
      keySource.kind === 'agent'
        ? await fromAgent(keySource, signal)
        : await fromWebIdentity(keySource, tokenEndpoint, signal);
    return this.#lent.keys;
  }
}

async function fromWebIdentity(
  { roleArn, tokenFile, sessionName }: KeySource & { readonly kind: 'webIdentity' },
  endpoint: string,
  signal: AbortSignal,
): Promise<LentKeys> {
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: (await readFile(tokenFile, 'utf8')).trim(),
  });
  const what = `taking the role ${roleArn}`;
  const answer = await ask(what, endpoint, { method: 'POST', body }, signal);
  return lentKeys(what, (name) => elementOf(answer, name), 'SessionToken');
}

async function fromAgent(
  { url, token, tokenFile }: KeySource & { readonly kind: 'agent' },
  signal: AbortSignal,
): Promise<LentKeys> {
  const authorization = tokenFile === '' ? token : (await readFile(tokenFile, 'utf8')).trim();
  const headers: Record<string, string> = authorization === '' ? {} : { authorization };
  const what = 'asking the agent of the node for keys';
  const answer = parseObject(await ask(what, url, { headers }, signal));
  return lentKeys(what, (name) => answer?.[name], 'Token');
}

function lentKeys(what: string, read: (name: string) => unknown, tokenName: string): LentKeys {
  const names = ['AccessKeyId', 'SecretAccessKey', tokenName, 'Expiration'];
  const [accessKeyId, secretAccessKey, sessionToken, expiration] = names.map(read);
  const endsMs = typeof expiration === 'string' ? parseTime(expiration) : undefined;
  if (
    typeof accessKeyId === 'string' &&
    typeof secretAccessKey === 'string' &&
    typeof sessionToken === 'string' &&
    endsMs !== undefined
  ) {
    return { keys: { accessKeyId, secretAccessKey, sessionToken }, endsMs };
  }
  throw new Error(`${what}: the answer lacks one of ${names.join(', ')}`);
}
