import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** What is wrong with the token that the provider gives. */
type Forgery = 'nonce' | 'audience' | 'issuer' | 'key' | 'expired' | 'verifier';

/** A sign-in that a user has consented to. */
interface Grant {
  readonly claims: object;
  readonly nonce: string;
  readonly challenge: string;
  readonly forgery: Forgery | undefined;
}

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** An identity provider on the loopback, whose users consent at once. */
export class FakeProvider {
  readonly clientId = 'turnsole';
  readonly clientSecret = 'client secret';
  issuer = '';
  readonly #callback: string;
  readonly #keys: Keys;
  readonly #forgedKeys: Keys;
  readonly #grants = new Map<string, Grant>();

  private constructor(callback: string, keys: Keys, forgedKeys: Keys) {
    this.#callback = callback;
    this.#keys = keys;
    this.#forgedKeys = forgedKeys;
  }

  static async start(callback: string): Promise<FakeProvider> {
    const [keys, forged] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
    const provider = new FakeProvider(callback, keys, forged);
    const server = createServer((request, response) => {
      provider.#answer(request).then(
        (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        (error: unknown) =>
          response
            .writeHead(400, { 'content-type': 'application/json' })
            .end(JSON.stringify({ error: 'invalid_grant', error_description: String(error) })),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    after(() => server.close());
    return provider;
  }

  /** A user consents to what the browser was sent with. @returns where the browser is sent back to, as a path */
  signedIn(target: URL, claims: object, forgery?: Forgery): string {
    const asked = target.searchParams;
    const right =
      asked.get('redirect_uri') === this.#callback && asked.get('code_challenge_method') === 'S256';
    if (!right) throw new Error(`the request is not what was agreed to: ${target}`);
    const code = randomUUID();
    const challenge = forgery === 'verifier' ? 'another' : (asked.get('code_challenge') ?? '');
    this.#grants.set(code, { claims, nonce: asked.get('nonce') ?? '', challenge, forgery });
    const back = new URLSearchParams({ code, state: asked.get('state') ?? '' });
    return `${new URL(this.#callback).pathname}?${back}`;
  }

  async #answer(request: IncomingMessage): Promise<object> {
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return {
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
        };
      case '/keys':
        return { keys: [{ ...(await exportJWK(this.#keys.publicKey)), kid: '1', alg: 'RS256', use: 'sig' }] };
      case '/token':
        return this.#exchange(new URLSearchParams(await textOf(request)));
      default:
        throw new Error(`there is no ${request.url}`);
    }
  }

  async #exchange(form: URLSearchParams): Promise<object> {
    const code = form.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const shown = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant === undefined || form.get('client_secret') !== this.clientSecret)
      throw new Error('no such code');
    if (shown !== grant.challenge) throw new Error('the verifier is another one');
    return { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: await this.#idToken(grant) };
  }

  #idToken({ claims, nonce, forgery }: Grant): Promise<string> {
    const keys = forgery === 'key' ? this.#forgedKeys : this.#keys;
    return new SignJWT({ ...claims, nonce: forgery === 'nonce' ? 'another' : nonce })
      .setProtectedHeader({ alg: 'RS256', kid: '1' })
      .setIssuer(forgery === 'issuer' ? 'https://other.example.com' : this.issuer)
      .setAudience(forgery === 'audience' ? 'another' : this.clientId)
      .setIssuedAt()
      .setExpirationTime(forgery === 'expired' ? '-1h' : '5m')
      .sign(keys.privateKey);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
