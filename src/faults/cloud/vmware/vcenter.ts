/** The part of vCenter's REST API that power takes: sessions, virtual machines, tags. */

import { isObject, parseObject } from '@turnsole/kube/text/json';
import { type Answer, ask, describeAnswer, NoAnswerError } from '../../remote/ask.ts';
import { CloudError, type CloudErrorKind, isCloudError } from '../cloud-error.ts';
import { patiently } from '../patiently.ts';
import type { CallContext } from '../resource-fault.ts';

/** Where vCenter is, and who asks. */
interface Login {
  /** `vcenter.example`, with a port if it is not 443; or a URL. */
  readonly server: string;
  readonly user: string;
  readonly password: string;
  readonly verifyTls: boolean;
}

const SESSION = 'vmware-api-session-id';
/** How many machines one request names. */
const MOST_NAMED = 100;
const TAGGING = '/rest/com/vmware/cis/tagging';

/** Calls of one vCenter, in one session that is opened when it is needed, and anew when it has expired. */
export class VCenter {
  readonly #login: Login;
  readonly #base: string;
  #session: string | undefined;

  constructor(login: Login) {
    this.#login = login;
    this.#base = baseOf(login.server);
  }

  /** Its name, by which those of its machines begin. */
  place(): Promise<string> {
    return Promise.resolve(this.#base.replace(/^https?:\/\//, ''));
  }

  /** The power state of a machine: `POWERED_ON`, `POWERED_OFF` or `SUSPENDED`; undefined when it does not exist. */
  async power(id: string, context: CallContext): Promise<string | undefined> {
    try {
      const value = await this.#ask('GET', `/rest/vcenter/vm/${id}/power`, undefined, context);
      return isObject(value) && typeof value.state === 'string' ? value.state : 'UNKNOWN';
    } catch (error) {
      if (isCloudError(error, 'gone')) return undefined;
      throw error;
    }
  }

  async setPower(id: string, action: 'start' | 'stop', context: CallContext): Promise<void> {
    await this.#ask('POST', `/rest/vcenter/vm/${id}/power/${action}`, undefined, context);
  }

  /** Which of these machines are on. */
  async runningAmong(ids: readonly string[], context: CallContext): Promise<readonly string[]> {
    const found: string[] = [];
    for (let from = 0; from < ids.length; from += MOST_NAMED) {
      const named = ids.slice(from, from + MOST_NAMED).map((id, index) => `&filter.vms.${index + 1}=${id}`);
      found.push(...(await this.#running(named.join(''), context)));
    }
    return found;
  }

  /** How many machines are on; infinitely many where they are more than vCenter lists. */
  async runningCount(context: CallContext): Promise<number> {
    try {
      return (await this.#running('', context)).length;
    } catch (error) {
      if (isCloudError(error, 'refused') && error.code === TOO_MANY) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }

  async #running(filter: string, context: CallContext): Promise<readonly string[]> {
    const path = `/rest/vcenter/vm?filter.power_states.1=POWERED_ON${filter}`;
    const value = await this.#ask('GET', path, undefined, context);
    return (Array.isArray(value) ? value : []).flatMap((one: unknown) =>
      isObject(one) && typeof one.vm === 'string' ? [one.vm] : [],
    );
  }

  /** Machines with a tag of this name, in any category. */
  async tagged(name: string, context: CallContext): Promise<readonly string[]> {
    const tags = await this.#ask('GET', `${TAGGING}/tag`, undefined, context);
    const found: string[] = [];
    for (const id of Array.isArray(tags) ? tags : []) {
      const tag = await this.#ask('GET', `${TAGGING}/tag/id:${id}`, undefined, context);
      if (!isObject(tag) || tag.name !== name) continue;
      const path = `${TAGGING}/tag-association/id:${id}?~action=list-attached-objects`;
      // Not every server takes a POST without a body.
      const objects = await this.#ask('POST', path, {}, context);
      for (const object of Array.isArray(objects) ? objects : []) {
        if (isObject(object) && object.type === 'VirtualMachine') found.push(String(object.id));
      }
    }
    return [...new Set(found)].toSorted();
  }

  /** @returns the `value` of the answer */
  #ask(method: 'GET' | 'POST', path: string, body: unknown, context: CallContext): Promise<unknown> {
    const { clock, random, signal, patienceMs, awayMs } = context;
    // What changes something is not broken off: what comes of it has to be known.
    const own = method === 'GET' ? signal : new AbortController().signal;
    const attempt = async (): Promise<unknown> => {
      const first = await this.#send(method, path, body, own, await this.#open(own));
      if (first.status !== 401) return valueOf(path, first);
      // The session has expired.
      this.#session = undefined;
      return valueOf(path, await this.#send(method, path, body, own, await this.#open(own)));
    };
    return patiently(attempt, { clock, random, signal, limitMs: patienceMs, awayMs });
  }

  async #open(signal: AbortSignal): Promise<string> {
    if (this.#session !== undefined) return this.#session;
    const { user, password } = this.#login;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const path = '/rest/com/vmware/cis/session';
    const answer = await this.#request('POST', path, undefined, { authorization }, signal);
    const value = valueOf(path, answer);
    if (typeof value !== 'string') throw new CloudError('refused', 'NoSession', `${path} gives no session`);
    this.#session = value;
    return value;
  }

  #send(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    signal: AbortSignal,
    session: string,
  ): Promise<Answer> {
    return this.#request(method, path, body, { [SESSION]: session, cookie: `${SESSION}=${session}` }, signal);
  }

  async #request(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    try {
      const url = `${this.#base}${path}`;
      return await ask({ url, method, body, headers, signal, verifyTls: this.#login.verifyTls });
    } catch (error) {
      if (error instanceof NoAnswerError) throw new CloudError('unavailable', 'NoAnswer', error.message);
      throw error;
    }
  }
}

/** `vcenter.example` gives `https://vcenter.example`. Pure. */
export function baseOf(server: string): string {
  const base = /^https?:\/\//.test(server) ? server : `https://${server}`;
  return base.replace(/\/+$/, '');
}

/** The value of an answer. Pure. @throws CloudError */
function valueOf(path: string, answer: Answer): unknown {
  if (answer.status >= 200 && answer.status < 300) return parseObject(answer.text)?.value;
  const kind = kindOf(answer);
  const hint = kind === 'denied' ? '; check VCENTERUSER and VCENTERPASS, and what this user may do' : '';
  const code = TOO_MANY_FORM.test(answer.text) ? TOO_MANY : `Status${answer.status}`;
  throw new CloudError(kind, code, `${path}: ${describeAnswer(answer)}${hint}`);
}

/** What vCenter answers where a list would have more than 4,000 machines. */
const TOO_MANY = 'UnableToAllocateResource';
const TOO_MANY_FORM = /unable_?to_?allocate_?resource/i;

/** Pure. */
export function kindOf({ status, text }: Pick<Answer, 'status' | 'text'>): CloudErrorKind {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'gone';
  if (status === 429) return 'throttled';
  if (TOO_MANY_FORM.test(text)) return 'refused';
  if (/already_in_desired_state|not_allowed_in_current_state|resource_busy/i.test(text)) return 'busy';
  return status >= 500 ? 'unavailable' : 'refused';
}
