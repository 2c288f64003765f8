import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GcpIdentity, ServiceAccountKey } from '@turnsole/cloud/gcp/open';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { UnseenTargetsError } from '../../../experiment/injection/errors.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { type Answer, ask, describeAnswer, NoAnswerError } from '../../remote/ask.ts';
import { CloudError, type CloudErrorKind, isNoAnswer } from '../cloud-error.ts';
import { lastPart } from '../last-part.ts';
import { loadCloudPart } from '../load-cloud-part.ts';
import { patiently } from '../patiently.ts';
import type { CallContext } from '../resource-fault.ts';
import type { GcpTunables } from './tunables.ts';

/** A request to Compute Engine, by the permission that it takes. */
interface Request {
  readonly permission: string;
  /** @default GET */
  readonly method?: 'GET' | 'POST';
  /** Below the project: `zones/z/instances/i`. */
  readonly path: string;
  readonly body?: unknown;
}

/** An object of the API; only fields that a fault knows of are looked at. */
export type GcpObject = Readonly<Record<string, unknown>>;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

/** Calls that a fault of GCP makes. */
export class GcpApi {
  readonly project: string;
  readonly #base: string;
  readonly #identity: GcpIdentity;
  readonly #calls: readonly string[];

  /** @param calls the only permissions that requests may take: those of the fault's role */
  constructor(endpoint: string, project: string, identity: GcpIdentity, calls: readonly string[]) {
    this.project = project;
    this.#base = `${endpoint.replace(/\/+$/, '')}/compute/v1/projects/${project}`;
    this.#identity = identity;
    this.#calls = calls;
  }

  /** The project. */
  place(): Promise<string> {
    return Promise.resolve(this.project);
  }

  /** An object; undefined when it does not exist. */
  async find(request: Request, context: CallContext): Promise<GcpObject | undefined> {
    try {
      return await this.#request(request, context);
    } catch (error) {
      if (error instanceof CloudError && error.kind === 'gone') return undefined;
      throw error;
    }
  }

  /** All entries of a list. */
  async list(request: Request, context: CallContext): Promise<readonly GcpObject[]> {
    const found: GcpObject[] = [];
    let token = '';
    do {
      const page: string = token === '' ? '' : `&pageToken=${encodeURIComponent(token)}`;
      const { items, nextPageToken } = await this.#request(
        { ...request, path: `${request.path}${page}` },
        context,
      );
      if (Array.isArray(items)) found.push(...items.filter(isObject));
      token = typeof nextPageToken === 'string' ? nextPageToken : '';
    } while (token !== '');
    return found;
  }

  /**
   * Begins an operation, and resolves when it is done. An abort does not break it off.
   *
   * @throws CloudError also for an operation that ended with an error
   */
  async operate(zone: string, request: Request, context: CallContext): Promise<void> {
    const { clock, patienceMs } = context;
    const calm = { ...context, signal: new AbortController().signal };
    const endsAt = clock.monotonic() + patienceMs;
    let operation = await this.#request({ method: 'POST', ...request }, calm);
    for (
      let pause = FIRST_PAUSE_MS;
      operation.status !== 'DONE';
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)
    ) {
      // The state of the resource says what comes of it.
      if (clock.monotonic() >= endsAt) return;
      await clock.sleep(pause);
      const path = `zones/${zone}/operations/${String(operation.name)}`;
      operation = await this.#request({ permission: 'compute.zoneOperations.get', path }, calm);
    }
    const { error } = operation;
    const [first] = isObject(error) && Array.isArray(error.errors) ? error.errors : [];
    if (!isObject(first)) return;
    const code = String(first.code);
    const kind = /NOT_READY|IN_USE|RATE_LIMIT|CONDITION_NOT_MET/.test(code) ? 'busy' : 'refused';
    throw new CloudError(kind, code, `${request.permission}: ${code}: ${String(first.message)}`);
  }

  async #request(
    { permission, method = 'GET', path, body }: Request,
    context: CallContext,
  ): Promise<GcpObject> {
    if (!this.#calls.includes(permission))
      throw new TypeError(`the fault does not say that it takes ${permission}`);
    const { clock, random, signal, patienceMs: limitMs, awayMs } = context;
    const attempt = async (): Promise<GcpObject> => {
      const url = `${this.#base}/${path}`;
      const headers = await this.#headers(url);
      try {
        return objectOf(permission, await ask({ url, method, body, headers, signal, timeoutMs: 20_000 }));
      } catch (error) {
        if (error instanceof NoAnswerError) throw new CloudError('unavailable', 'NoAnswer', error.message);
        throw error;
      }
    };
    return patiently(attempt, { clock, random, signal, limitMs, awayMs });
  }

  async #headers(url: string): Promise<Readonly<Record<string, string>>> {
    try {
      return await this.#identity.headersFor(url);
    } catch (cause) {
      const status = Number((cause as { readonly status?: unknown }).status);
      if (isNoAnswer(cause) || status === 429 || status >= 500) {
        throw new CloudError(
          'unavailable',
          'NoToken',
          `there is no token of Google Cloud: ${messageOf(cause)}`,
          { cause },
        );
      }
      throw new UnseenTargetsError(
        'there are no credentials of Google Cloud here, or they are not accepted',
        { cause },
      );
    }
  }
}

/** Opens the API as the settings say. */
export async function openGcpApi(settings: Tunables<GcpTunables>, calls: readonly string[]): Promise<GcpApi> {
  const { openGcp } = await loadCloudPart('Google Cloud', () => import('@turnsole/cloud/gcp/open'));
  const {
    GCP_COMPUTE_ENDPOINT: endpoint,
    GCP_PROJECT_ID: project,
    GCP_CREDENTIALS_DIRECTORY: folder,
  } = settings;
  return new GcpApi(endpoint, project, openGcp(await keyIn(folder)), calls);
}

/** The key whose fields are files of a folder, as charts mount it; undefined without them. */
async function keyIn(folder: string): Promise<ServiceAccountKey | undefined> {
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
  const [email, pem, id] = await Promise.all(['client_email', 'private_key', 'private_key_id'].map(read));
  if (email === undefined || pem === undefined || email.trim() === '' || pem.trim() === '') return undefined;
  return {
    client_email: email.trim(),
    // Written into a Secret by hand, its line ends are often two characters.
    private_key: pem.replaceAll('\\n', '\n'),
    ...(id === undefined || id.trim() === '' ? {} : { private_key_id: id.trim() }),
  };
}

/** Pure. @throws CloudError */
function objectOf(permission: string, answer: Answer): GcpObject {
  const object = parseObject(answer.text);
  if (answer.status >= 200 && answer.status < 300) return object ?? {};
  const error = object?.error;
  const [first] = isObject(error) && Array.isArray(error.errors) ? error.errors : [];
  const reason = isObject(first) ? String(first.reason) : `Status${answer.status}`;
  const kind = kindOf(answer.status, reason);
  const hint =
    kind === 'denied' ? '; check the credentials, and allow what deploy/cloud lists for this fault' : '';
  throw new CloudError(kind, reason, `${permission}: ${describeAnswer(answer)}${hint}`);
}

/** The kind of an error by its status and its reason. Pure. */
export function kindOf(status: number, reason: string): CloudErrorKind {
  if (status === 429 || /rateLimitExceeded|quotaExceeded/i.test(reason)) return 'throttled';
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'gone';
  if (status === 409 || status === 412 || /resourceNotReady|resourceInUse/i.test(reason)) return 'busy';
  return status >= 500 ? 'unavailable' : 'refused';
}

/** The last part of a URL of a resource. Pure. */
export function nameIn(url: unknown): string {
  return typeof url === 'string' ? lastPart(url) : '';
}

/** Zone and name in the name of a target. Pure. */
export function placeIn(target: string): { readonly zone: string; readonly name: string } {
  const [name = '', zone = ''] = target.split('/').toReversed();
  return { zone, name };
}
