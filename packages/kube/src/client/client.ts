import { type Clock, type Random, systemClock } from '../base/clock.ts';
import type { KubeObject } from '../kinds/core.ts';
import { apiVersionOf, type Resource } from '../kinds/resources.ts';
import type { AnsweredCall } from './api-call.ts';
import { ConnectionError, isExpired, isNotFound, unless } from './errors.ts';
import { LineSplitter, WholeLines } from './lines.ts';
import {
  type ApiRequest,
  buildCreate,
  buildDelete,
  buildDeleteCollection,
  buildGet,
  buildList,
  buildLog,
  buildPatch,
  buildUpdate,
  buildWatch,
  describeRequest,
} from './request.ts';
import { watchError } from './response.ts';
import { destroyOnAbort, Sender, type SendOptions } from './sender.ts';
import { StatusSubresources } from './status-subresources.ts';
import type {
  ClusterConfig,
  DeleteOptions,
  ExecCollectOptions,
  ExecOptions,
  ExecResult,
  ExecSession,
  ItemOptions,
  KubeClient,
  KubeList,
  ListOptions,
  LogOptions,
  NewObject,
  PatchOptions,
  PatchType,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './types.ts';

/** What tests replace, and who counts. */
export interface ClientOptions {
  /** @default the machine's clock; used for time limits and back-off */
  readonly clock?: Clock;
  /** @default Math.random; used for jitter */
  readonly random?: Random;
  /** Called for every try of every request when its answer begins, or fails to come. Must not throw. */
  readonly onCall?: (call: AnsweredCall) => void;
}

/** Items per page of a list: large lists arrive in pieces that neither side has to hold as one text. */
const DEFAULT_PAGE_SIZE = 500;

/**
 * A client for one cluster. Connects with the first request, keeps connections, and must be closed.
 *
 * @throws TypeError when `config.server` is no http or https address (with the first request)
 */
export function createClient(config: ClusterConfig, options: ClientOptions = {}): KubeClient {
  return new HttpKubeClient(config, options);
}

class HttpKubeClient implements KubeClient {
  readonly #sender: Sender;
  readonly #statusSubresources: StatusSubresources;

  constructor(config: ClusterConfig, { clock = systemClock, random = Math.random, onCall }: ClientOptions) {
    this.#sender = new Sender(config, clock, random, onCall);
    this.#statusSubresources = new StatusSubresources(
      (path, options) => this.raw('GET', path, undefined, options),
      clock,
    );
  }

  get<T extends KubeObject>(resource: Resource, name: string, options: RequestOptions = {}): Promise<T> {
    return this.#json<T>(() => buildGet(resource, name, options.namespace), options);
  }

  async find<T extends KubeObject>(
    resource: Resource,
    name: string,
    options: RequestOptions = {},
  ): Promise<T | undefined> {
    return unless(isNotFound, this.get<T>(resource, name, options));
  }

  async list<T extends KubeObject>(
    resource: Resource,
    options: ListOptions & ItemOptions<T> = {},
  ): Promise<KubeList<T>> {
    const { eachItem = (item: T): T => item } = options;
    const paged = { ...options, limit: options.limit ?? DEFAULT_PAGE_SIZE };
    const items: T[] = [];
    const take = (page: KubeList<T>): KubeList<T>['metadata'] => {
      for (const item of page.items ?? []) {
        // Items of built-in kinds come without; owner references and Events need them.
        item.apiVersion ??= apiVersionOf(resource);
        item.kind ??= resource.kind;
        items.push(eachItem(item));
      }
      return page.metadata;
    };
    const first = await this.#json<KubeList<T>>(() => buildList(resource, paged), options);
    let metadata = take(first);
    while (metadata.continue !== undefined && metadata.continue !== '') {
      const token = metadata.continue;
      try {
        metadata = take(await this.#json<KubeList<T>>(() => buildList(resource, paged, token), options));
      } catch (error) {
        if (!isExpired(error)) throw error;
        // The first page's version was compacted meanwhile. In one piece it cannot happen again.
        return await this.list(resource, { ...options, limit: 0 });
      }
    }
    return { ...first, metadata: { resourceVersion: metadata.resourceVersion }, items };
  }

  create<T extends KubeObject>(
    resource: Resource,
    object: NewObject<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#json<T>(() => buildCreate(resource, object, options), options);
  }

  update<T extends KubeObject>(resource: Resource, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#json<T>(() => buildUpdate(resource, object, options), options);
  }

  patch<T extends KubeObject>(
    resource: Resource,
    name: string,
    type: PatchType,
    patch: unknown,
    options: PatchOptions = {},
  ): Promise<T> {
    return this.#json<T>(() => buildPatch(resource, name, type, patch, options), options);
  }

  async delete<T extends KubeObject>(
    resource: Resource,
    name: string,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const answer = await this.#json<T>(() => buildDelete(resource, name, options), options);
    return isStillThere(answer) ? answer : undefined;
  }

  async deleteCollection(resource: Resource, options: DeleteOptions & ListOptions = {}): Promise<void> {
    await this.#json(() => buildDeleteCollection(resource, options), options);
  }

  async *watch<T extends KubeObject>(
    resource: Resource,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const request = buildWatch(resource, options);
    for await (const line of this.#lines(request, options)) {
      if (line === '') continue;
      const event = parseWatchLine(line, request);
      if (event.type === 'ERROR') throw watchError(describeRequest(request), event.object);
      // The server's types are taken as declared: JSON in, no per-field check (see ../README.md).
      yield event as unknown as WatchEvent<T>;
    }
  }

  async log(pod: string, options: LogOptions): Promise<string> {
    return await this.#sender.text(buildLog(pod, options), options);
  }

  async *logLines(pod: string, options: LogOptions): AsyncGenerator<string, void, undefined> {
    yield* this.#lines(buildLog(pod, options), options);
  }

  async *logTexts(
    pod: string,
    { mostBytes, ...options }: LogOptions & { readonly mostBytes: number },
  ): AsyncGenerator<string, void, undefined> {
    const splitter = new WholeLines(mostBytes);
    for await (const chunk of this.#chunks(buildLog(pod, options), options)) {
      const text = splitter.push(chunk);
      if (text !== undefined) yield text;
    }
    const rest = splitter.end();
    if (rest !== undefined) yield rest;
  }

  async exec(options: ExecCollectOptions): Promise<ExecResult> {
    const { collectExec } = await import('./exec/run.ts');
    return await collectExec(this.#sender, options);
  }

  async execStream(options: ExecOptions & { readonly stdin?: boolean }): Promise<ExecSession> {
    const { streamExec } = await import('./exec/run.ts');
    return await streamExec(this.#sender, options);
  }

  raw<T = unknown>(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<T> {
    return this.#json<T>(
      () => ({ method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
      options,
    );
  }

  hasStatusSubresource(resource: Resource, options: RequestOptions = {}): Promise<boolean> {
    return this.#statusSubresources.has(resource, options);
  }

  close(): void {
    this.#sender.close();
  }

  /** Building inside the async function makes a bad argument a rejection and never a throw. */
  async #json<T>(build: () => ApiRequest, options: SendOptions): Promise<T> {
    const request = build();
    const text = await this.#sender.text(request, options);
    return parseBody(text, request);
  }

  /** Lines of a streamed answer. Leaving the loop, by whatever way, closes the connection. */
  async *#lines(request: ApiRequest, options: RequestOptions): AsyncGenerator<string, void, undefined> {
    const splitter = new LineSplitter();
    for await (const chunk of this.#chunks(request, options)) yield* splitter.push(chunk);
    const rest = splitter.end();
    if (rest !== undefined) yield rest;
  }

  async *#chunks(request: ApiRequest, options: RequestOptions): AsyncGenerator<Buffer, void, undefined> {
    const { response, scope } = await this.#sender.open(request, options);
    scope.lift();
    try {
      destroyOnAbort(response, scope.signal);
      yield* response as AsyncIterable<Buffer>;
      scope.signal.throwIfAborted();
    } catch (error) {
      throw this.#sender.explain(error, request, scope);
    } finally {
      response.destroy();
      this.#sender.release(scope);
    }
  }
}

/** A Status means gone; an object means held by a grace period or by finalizers. */
function isStillThere(answer: KubeObject | undefined): boolean {
  const metadata = answer?.metadata;
  if (answer === undefined || answer.kind === 'Status' || metadata?.deletionTimestamp === undefined)
    return false;
  return (metadata.finalizers?.length ?? 0) > 0 || metadata.deletionGracePeriodSeconds !== 0;
}

function parseBody<T>(text: string, request: ApiRequest): T {
  try {
    // The answer is taken to have its declared type: see ../README.md.
    return JSON.parse(text) as T;
  } catch (error) {
    // Discovery of health and metrics (`raw`) is plain text; where an object was asked for, text is a wrong server.
    if (request.path.startsWith('/api/') || request.path.startsWith('/apis/')) {
      throw new ConnectionError(
        describeRequest(request),
        `the answer is no JSON (${JSON.stringify(text.slice(0, 80))}); check that the server's address is that of a Kubernetes API`,
        { cause: error },
      );
    }
    // `raw<string>` of a text resource.
    return text as T;
  }
}

function parseWatchLine(line: string, request: ApiRequest): { type: string; object: unknown } {
  try {
    // A watch line is always {type, object}; a line that is not fails at its first use below.
    return JSON.parse(line) as { type: string; object: unknown };
  } catch (error) {
    throw new ConnectionError(
      describeRequest(request),
      `the watch stream broke off inside an item (${JSON.stringify(line.slice(0, 80))}); watch again`,
      { cause: error },
    );
  }
}
