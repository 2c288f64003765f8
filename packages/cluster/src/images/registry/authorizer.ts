/** Proves to a registry who asks: by a name and a password, or by a token that a service of it gives for these. */
import { text } from 'node:stream/consumers';
import { parseObject, textOf } from '@turnsole/kube/text/json';
import { ImageError } from '../errors.ts';
import type { RegistryCredentials } from '../types.ts';
import type { Challenge } from './challenge.ts';
import { isLoopback } from './endpoints.ts';
import type { HttpSender } from './http.ts';

/** What token services know this program as. */
const CLIENT = 'turnsole';

interface AuthorizerOptions {
  readonly sender: HttpSender;
  readonly repository: string;
  /** In messages. */
  readonly registry: string;
  readonly checksCertificate: boolean;
  /** Whether requests go over TLS, or stay on this machine: a password is sent nowhere else. */
  readonly isPrivate: () => boolean;
}

export class Authorizer {
  readonly #options: AuthorizerOptions;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  /**
   * The `Authorization` of the next request, as the registry's challenge wants it.
   *
   * @param credentials absent: nobody in particular, for whom token services have tokens as well
   * @returns undefined when there is none: the registry wants a name, and there is none
   * @throws ImageError `unauthorized` or `unavailable`, of the token service
   */
  async answer(
    challenge: Challenge,
    credentials: RegistryCredentials | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    if (credentials !== undefined && 'registryToken' in credentials)
      return `Bearer ${credentials.registryToken}`;
    if (challenge.scheme === 'bearer') return `Bearer ${await this.#token(challenge, credentials, signal)}`;
    if (credentials === undefined || !('username' in credentials)) return undefined;
    if (!this.#options.isPrivate()) throw this.#refusal('it wants a password over a connection without TLS');
    return basic(credentials);
  }

  async #token(
    {
      realm,
      service,
      scope = `repository:${this.#options.repository}:pull`,
    }: Extract<Challenge, { scheme: 'bearer' }>,
    credentials: RegistryCredentials | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { sender, checksCertificate } = this.#options;
    if (!URL.canParse(realm))
      throw this.#refusal(`it names ${JSON.stringify(realm)} as its token service, which is no address`);
    const url = new URL(realm);
    if (credentials !== undefined && url.protocol !== 'https:' && !isLoopback(url.host)) {
      throw this.#refusal(`its token service ${url.origin} wants a password over a connection without TLS`);
    }
    const query = new URLSearchParams({ ...(service !== undefined && { service }), scope });
    const shared = { checksCertificate, signal };
    const answer =
      credentials !== undefined && 'identityToken' in credentials
        ? await sender.send({
            ...{ ...shared, url, method: 'POST' as const },
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: `${query.toString()}&${new URLSearchParams({ grant_type: 'refresh_token', client_id: CLIENT, refresh_token: credentials.identityToken }).toString()}`,
          })
        : await sender.send({
            ...{ ...shared, url: withQuery(url, query) },
            headers:
              credentials !== undefined && 'username' in credentials
                ? { authorization: basic(credentials) }
                : {},
          });
    const body = await text(answer);
    const { statusCode = 0 } = answer;
    if (statusCode === 401 || statusCode === 403 || statusCode === 400) {
      const who = credentials === undefined ? 'nobody in particular' : 'these credentials';
      throw this.#refusal(`its token service ${url.host} answers ${statusCode} to ${who}`);
    }
    const document = parseObject(body);
    const token = textOf(document?.['token']) || textOf(document?.['access_token']);
    if (statusCode !== 200 || token === '') {
      const what = statusCode === 200 ? 'gives no token' : `answers ${statusCode}`;
      throw new ImageError(
        'unavailable',
        `the token service ${url.host} of ${this.#options.registry} ${what}`,
      );
    }
    return token;
  }

  #refusal(why: string): ImageError {
    return new ImageError('unauthorized', `${this.#options.registry} is not asked: ${why}`);
  }
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function withQuery(url: URL, query: URLSearchParams): URL {
  const whole = new URL(url);
  for (const [key, value] of query) whole.searchParams.append(key, value);
  return whole;
}
