import type { AzureIdentity } from '@turnsole/cloud/azure/open';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { UnseenTargetsError } from '../../../experiment/injection/errors.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { type Answer, ask, describeAnswer, NoAnswerError } from '../../remote/ask.ts';
import { CloudError, type CloudErrorKind, isCloudError } from '../cloud-error.ts';
import { loadCloudPart } from '../load-cloud-part.ts';
import { patiently } from '../patiently.ts';
import type { CallContext } from '../resource-fault.ts';
import { type AzureAccount, accountOf } from './auth-file.ts';
import type { AzureTunables } from './tunables.ts';

/** A request to the Resource Manager, by the permission that it takes. */
export interface AzureRequest {
  readonly permission: string;
  /** Below the subscription: `resourceGroups/g/providers/Microsoft.Compute/…`. */
  readonly path: string;
  /** Beside the version. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An object of the API; only fields that a fault knows of are looked at. */
export type AzureObject = Readonly<Record<string, unknown>>;

const POLL_OPERATION = 'Microsoft.Compute/locations/operations/read';
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** Machines and scale sets have another version than disks. */
const MACHINES_VERSION = '2024-11-01';
const DISKS_VERSION = '2024-03-02';

/** Calls that a fault of Azure makes. */
export class AzureApi {
  readonly #account: AzureAccount;
  readonly #identity: AzureIdentity;
  readonly #calls: readonly string[];

  /** @param calls the only permissions that requests may take: those of the fault's role */
  constructor(account: AzureAccount, identity: AzureIdentity, calls: readonly string[]) {
    this.#account = account;
    this.#identity = identity;
    this.#calls = calls;
  }

  /** The subscription. */
  place(): Promise<string> {
    return Promise.resolve(this.#account.subscription);
  }

  /** An object; undefined when it does not exist. */
  async find(request: AzureRequest, context: CallContext): Promise<AzureObject | undefined> {
    try {
      return objectIn(await this.#ask(request.permission, this.#urlOf(request), context));
    } catch (error) {
      if (isCloudError(error, 'gone')) return undefined;
      throw error;
    }
  }

  /** All entries of a list. */
  async list(request: AzureRequest, context: CallContext): Promise<readonly AzureObject[]> {
    const found: AzureObject[] = [];
    let url: string | undefined = this.#urlOf(request);
    while (url !== undefined) {
      const { value, nextLink } = objectIn(await this.#ask(request.permission, url, context));
      if (Array.isArray(value)) found.push(...value.filter(isObject));
      url = typeof nextLink === 'string' && nextLink !== '' ? nextLink : undefined;
    }
    return found;
  }

  /**
   * Begins an operation, and resolves when it is done. An abort does not break it off.
   *
   * @throws CloudError also for an operation that ended with an error
   */
  async operate(request: AzureRequest, context: CallContext): Promise<void> {
    const { clock, patienceMs } = context;
    const calm = { ...context, signal: new AbortController().signal };
    const endsAt = clock.monotonic() + patienceMs;
    const { permission, body } = request;
    let answer = await this.#ask(permission, this.#urlOf(request), calm, { method: 'POST', body });
    const { 'azure-asyncoperation': operation, location } = answer.headers;
    const url = [operation, location].flat()[0];
    if (url === undefined) return;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      // The state of the resource says what comes of it.
      if (clock.monotonic() >= endsAt) return;
      await clock.sleep(Math.max(pause, pauseIn(answer)));
      answer = await this.#ask(POLL_OPERATION, url, calm);
      const state =
        operation === undefined ? (answer.status === 202 ? 'InProgress' : 'Succeeded') : stateIn(answer);
      if (state === 'Succeeded') return;
      if (state === 'Failed' || state === 'Canceled') throw failureOf(permission, state, answer);
    }
  }

  #urlOf({ path, query = {} }: AzureRequest): string {
    const version = path.includes('Microsoft.Compute/disks/') ? DISKS_VERSION : MACHINES_VERSION;
    const { endpoint, subscription } = this.#account;
    const parameters = new URLSearchParams({ ...query, 'api-version': version });
    return `${endpoint}/subscriptions/${subscription}/${path}?${parameters.toString()}`;
  }

  async #ask(
    permission: string,
    url: string,
    context: CallContext,
    sent: { readonly method?: 'POST'; readonly body?: unknown } = {},
  ): Promise<Answer> {
    if (!this.#calls.includes(permission))
      throw new TypeError(`the fault does not say that it takes ${permission}`);
    // Addresses of next pages and of operations come from the API, and a token goes to nobody else.
    if (new URL(url).origin !== new URL(this.#account.endpoint).origin) {
      throw new CloudError(
        'refused',
        'OtherAddress',
        `${permission}: the API sends on to ${new URL(url).origin}, which is not asked`,
      );
    }
    const { clock, random, signal, patienceMs: limitMs, awayMs } = context;
    const attempt = async (): Promise<Answer> => {
      const authorization = `Bearer ${await this.#token(signal)}`;
      try {
        return checked(
          permission,
          await ask({ url, ...sent, headers: { authorization }, signal, timeoutMs: 20_000 }),
        );
      } catch (error) {
        if (error instanceof NoAnswerError) throw new CloudError('unavailable', 'NoAnswer', error.message);
        throw error;
      }
    };
    return patiently(attempt, { clock, random, signal, limitMs, awayMs });
  }

  async #token(signal: AbortSignal): Promise<string> {
    try {
      return await this.#identity.tokenFor(this.#account.audience, signal);
    } catch (cause) {
      signal.throwIfAborted();
      const found = messageOf(cause);
      if (isOutage(found))
        throw new CloudError('unavailable', 'NoToken', `there is no token of Azure: ${found}`, { cause });
      throw new UnseenTargetsError('there are no credentials of Azure here, or they are not accepted', {
        cause,
      });
    }
  }
}

/** Opens the API as the settings say. */
export async function openAzureApi(
  settings: Tunables<AzureTunables>,
  calls: readonly string[],
): Promise<AzureApi> {
  const { openAzure } = await loadCloudPart('Azure', () => import('@turnsole/cloud/azure/open'));
  const account = await accountOf(settings);
  return new AzureApi(account, openAzure(account.principal), calls);
}

/** Whether a token was not had because nobody answered, by the words of the vendor's library. Pure. */
export function isOutage(words: string): boolean {
  // Without an identity of its own, a machine has no such address at all.
  const known = words.replaceAll(/^.*ManagedIdentityCredential.*$/gm, '');
  return /endpoints_resolution_error|network_error|no_network_connectivity|temporarily_unavailable|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|socket hang up|AADSTS90033/.test(
    known,
  );
}

function checked(permission: string, answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  const error = parseObject(answer.text)?.error;
  const code = isObject(error) ? String(error.code) : `Status${answer.status}`;
  const kind = kindOf(answer.status, code);
  const hint =
    kind === 'denied' ? '; check the credentials, and allow what deploy/cloud lists for this fault' : '';
  throw new CloudError(kind, code, `${permission}: ${describeAnswer(answer)}${hint}`, {
    pauseMs: pauseIn(answer),
  });
}

/** The kind of an error by its status and its code. Pure. */
export function kindOf(status: number, code: string): CloudErrorKind {
  if (status === 429 || /^(TooManyRequests|OperationNotAllowedDueToThrottling)$/.test(code))
    return 'throttled';
  if (status === 401 || status === 403 || code === 'SubscriptionNotFound') return 'denied';
  if (status === 404) return 'gone';
  if (status === 409 || status === 412 || isPassing(code)) return 'busy';
  return status === 408 || status >= 500 ? 'unavailable' : 'refused';
}

/** Codes of errors, also of operations that ended with one, after which the same may succeed. Pure. */
function isPassing(code: string): boolean {
  return /Preempted|Conflict|BeingDetached|BeingAttached|InUse|AllocationFailed|Overconstrained|Retryable|^Internal\w*Error$/.test(
    code,
  );
}

/** How long an answer asks to wait. Pure. */
function pauseIn({ headers }: Answer): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function stateIn(answer: Answer): string {
  const { status } = objectIn(answer);
  return typeof status === 'string' ? status : 'Succeeded';
}

function failureOf(permission: string, state: string, answer: Answer): CloudError {
  const { error } = objectIn(answer);
  const [code, message] = isObject(error)
    ? [String(error.code), String(error.message)]
    : [state, 'it says no more'];
  return new CloudError(isPassing(code) ? 'busy' : 'refused', code, `${permission}: ${code}: ${message}`);
}

function objectIn(answer: Answer): AzureObject {
  return parseObject(answer.text) ?? {};
}
