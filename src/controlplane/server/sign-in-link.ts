import type { Clock } from '@turnsole/kube/base/clock';
import type { Ids } from '../access/ids.ts';
import type { Noun } from '../access/noun.ts';
import { Refusal } from '../access/refusal.ts';
import { keyHash, keyMatches } from '../access/secret-box.ts';
import { richAnswer } from '../http/rest.ts';
import { sessionCookie } from '../http/session-cookie.ts';

/** Bytes of a link's key. */
const KEY_BYTES = 32;
/** Time for the user to click. */
const VALID_MS = 10 * 60_000;

/** A link that signs one browser in, once; a further browser needs another one. */
export class SignInLink {
  readonly #ids: Ids;
  readonly #clock: Clock;
  readonly #token: string;
  readonly #target: string;
  #validUntil = 0;
  #hash: string | null = null;
  /** Called with the path of a link that somebody without a session has asked for. It is for the owner's terminal alone. */
  onAsked: ((path: string) => void) | undefined;

  /**
   * @param token of the browser's session
   * @param target path to which the browser is redirected
   */
  constructor(ids: Ids, clock: Clock, token: string, target: string) {
    this.#ids = ids;
    this.#clock = clock;
    this.#token = token;
    this.#target = target;
  }

  /** A new link, in place of the one before: its path and query, a secret until it is used. */
  renew(): string {
    const key = this.#ids.secret(KEY_BYTES);
    this.#hash = keyHash(key);
    this.#validUntil = this.#clock.now() + VALID_MS;
    return `/enter?key=${key}`;
  }

  /** The session's token for the first caller with the key; undefined for later ones. */
  take(key: string): string | undefined {
    const isRight = keyMatches(key, this.#hash) && this.#clock.now() < this.#validUntil;
    if (!isRight) return undefined;
    this.#hash = null;
    return this.#token;
  }

  get target(): string {
    return this.#target;
  }
}

/** The answer to a used link. */
const USED_UP = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Turnsole</title>
<h1>This link was used already, or is too old</h1>
<p>It signs one browser in, once, within ten minutes. <a href="/ui/">The page</a> has a button for another one.</p></html>`;

/** The routes of the link. @param link of a server for one person; undefined on all others */
export function signInLinkNoun(link: SignInLink | undefined): Noun {
  return {
    routes: {
      'GET /enter': async ({ key }, context) => {
        const token = link?.take(typeof key === 'string' ? key : '');
        if (link === undefined || token === undefined) {
          const headers = {
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': "default-src 'none'",
          };
          return richAnswer({ status: 403, headers, body: USED_UP });
        }
        return richAnswer({
          status: 303,
          headers: { 'set-cookie': sessionCookie(context, token), location: link.target },
          body: '',
        });
      },
      'POST /enter': async () => {
        if (link?.onAsked === undefined)
          throw new Refusal(
            'not-found',
            'this server has accounts with passwords, and no links that sign in',
          );
        link.onAsked(link.renew());
        return {};
      },
    },
  };
}
