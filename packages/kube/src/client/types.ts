import type { Readable, Writable } from 'node:stream';
import type { KubeObject, ObjectMeta } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';

/** Patch formats by the content type that selects them. */
export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
export type PatchType = keyof typeof PATCH_TYPES;

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** Options every request takes. */
export interface RequestOptions {
  /** Required for namespaced resources except where all namespaces are meant (list, watch). */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
  /** @default 30_000. Limit of the whole request, retries included; for watches and log streams: until the first byte. */
  readonly timeoutMs?: number;
  /** Called with each warning that the server answers with, beside what it was asked for. */
  readonly onWarning?: (text: string) => void;
}

/** Options of requests that change something. */
interface ChangeOptions extends RequestOptions {
  /**
   * Carried out twice, it comes to the same as once, and the caller takes the answer to a second one for success (it is there already, it is
   * gone, another version): so it is sent again when its connection broke and nobody knows whether the server had acted.
   * @default false: only what cannot have been carried out is sent again
   */
  readonly repeatable?: boolean;
}

export interface WriteOptions extends ChangeOptions {
  /** Validate and answer, store nothing. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Writes the subresource instead of the object: `status`, `scale`, `binding`, `eviction`, `token`. */
  readonly subresource?: string;
}

export interface PatchOptions extends WriteOptions {
  /** Server-side apply only: take fields over from other managers. */
  readonly force?: boolean;
}

export interface DeleteOptions extends ChangeOptions {
  readonly gracePeriodSeconds?: number;
  /** @default the server's default for the kind (Background nearly everywhere). */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export interface ListOptions extends RequestOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Page size; `list` follows `continue` itself and returns the whole list, page by page from the server. */
  readonly limit?: number;
  readonly resourceVersion?: string;
}

/** A change of each item of a list as its page arrives. */
export interface ItemOptions<T extends KubeObject> {
  /** Takes an item and gives what the list holds in its place: of a large list the whole is then never in memory. */
  readonly eachItem?: (item: T) => T;
}

/** A list as the API serves it. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: T[];
}

export interface WatchOptions extends RequestOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Changes after this version are delivered. Absent: the server first sends the present objects as ADDED. */
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Server-side limit of the watch. */
  readonly timeoutSeconds?: number;
}

/** One item of a watch stream. An ERROR item of the server is thrown as ApiError (410 Expired among them). */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK';
      readonly object: { readonly metadata: Pick<ObjectMeta, 'resourceVersion'> };
    };

export interface LogOptions extends RequestOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceTime?: string;
}

/** A command to be run in a container. */
export interface ExecOptions extends RequestOptions {
  readonly namespace: string;
  /** The pod's name. */
  readonly name: string;
  /** @default the pod's only container, or the one its annotation kubectl.kubernetes.io/default-container names */
  readonly container?: string;
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  /** @default 30_000. Limit of the whole command for `exec`; of the handshake for `execStream`. */
  readonly timeoutMs?: number;
}

/** A command to be run whose output is kept. */
export interface ExecCollectOptions extends ExecOptions {
  /** What the command reads, then its end. Needs a server that can pass that end on: Kubernetes 1.30 or later. */
  readonly stdin?: string | Uint8Array;
  /** @default 1 MiB. Bytes kept of each output; the rest is read and dropped. */
  readonly maxOutputBytes?: number;
}

/** How a command ended and what it wrote. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** 128 + n when it was ended by signal n. */
  readonly exitCode: number;
  /** Whether one of the outputs was longer than what was kept. */
  readonly isTruncated: boolean;
}

/** A command under way. */
export interface ExecSession {
  /** What the command reads; only servers that understand its end get it (`canEndStdin`). */
  readonly stdin: Writable;
  /** To be read, or `resume`d: an output that is not read holds the command up. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly canEndStdin: boolean;
  /** Resolves to the exit code. Rejects with ExecError, ConnectionError, or the signal's reason. */
  readonly exited: Promise<number>;
  /** Cuts the connection, on which the server ends the command. */
  kill(): void;
}

/** What an object to be created needs: the server fills in the rest. */
export type NewObject<T extends KubeObject> = Omit<T, 'metadata'> & {
  metadata: Omit<Partial<ObjectMeta>, 'name'> & ({ name: string } | { generateName: string });
};

/**
 * A Kubernetes API client: JSON in, JSON out.
 *
 * Failures of the server are {@link import('./errors.ts').ApiError}; of the network
 * {@link import('./errors.ts').ConnectionError}. Idempotent requests (GET, and writes that the server did not
 * receive) are retried on connection failures, 429 and 503 within `timeoutMs`, honouring Retry-After; others are not.
 * All methods may be called concurrently.
 */
export interface KubeClient {
  get<T extends KubeObject>(resource: Resource, name: string, options?: RequestOptions): Promise<T>;
  /** Like get; `undefined` for 404 only. */
  find<T extends KubeObject>(
    resource: Resource,
    name: string,
    options?: RequestOptions,
  ): Promise<T | undefined>;
  list<T extends KubeObject>(
    resource: Resource,
    options?: ListOptions & ItemOptions<T>,
  ): Promise<KubeList<T>>;
  create<T extends KubeObject>(resource: Resource, object: NewObject<T>, options?: WriteOptions): Promise<T>;
  /** PUT; carries the object's resourceVersion if it has one, so a stale write is a 409. */
  update<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource,
    name: string,
    type: PatchType,
    patch: unknown,
    options?: PatchOptions,
  ): Promise<T>;
  /** Resolves to the object as it is now (still there when finalizers or a grace period hold it), or undefined. */
  delete<T extends KubeObject>(
    resource: Resource,
    name: string,
    options?: DeleteOptions,
  ): Promise<T | undefined>;
  deleteCollection(resource: Resource, options?: DeleteOptions & ListOptions): Promise<void>;
  /** One watch connection; ends when the server ends it. Resuming is the informer's business. */
  watch<T extends KubeObject>(resource: Resource, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  log(pod: string, options: LogOptions): Promise<string>;
  /** Lines of a log as they appear; ends with the container (follow) or the text. */
  logLines(pod: string, options: LogOptions): AsyncIterable<string>;
  /**
   * The same in texts of whole lines, each with its line end, as they arrive: for logs of any size that are passed on.
   * @param options.mostBytes a longer line is cut after this many bytes, without a line end
   */
  logTexts(pod: string, options: LogOptions & { readonly mostBytes: number }): AsyncIterable<string>;
  /**
   * Runs a command in a container and keeps what it writes. An exit code that is not 0 is a result. When the time limit
   * or the signal ends it, the connection is cut, on which servers end the command.
   *
   * @throws ApiError when the server refuses (403, 404, 400 for a container that is not there); ExecError when the
   * command could not be run; ConnectionError when the connection broke or the time was up
   */
  exec(options: ExecCollectOptions): Promise<ExecResult>;
  /** Like `exec`, with streams in place of texts. */
  execStream(options: ExecOptions & { readonly stdin?: boolean }): Promise<ExecSession>;
  /** Any other request, e.g. discovery. `path` starts with a slash. */
  raw<T = unknown>(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<T>;
  /** Whether the server has the status subresource of this kind: our CRDs exist with and without. Cached. */
  hasStatusSubresource(resource: Resource, options?: RequestOptions): Promise<boolean>;
  /** Closes idle connections and aborts requests under way. */
  close(): void;
}

/** How to reach a cluster; the outcome of reading a kubeconfig or the in-cluster files. */
export interface ClusterConfig {
  /** `https://host:port` or `http://…`, possibly with a path prefix. */
  readonly server: string;
  /** Connect through this Unix socket instead of TCP (the embedded cluster's own components do). */
  readonly socketPath?: string;
  /** PEM. */
  readonly certificateAuthority?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** PEM client certificate and key. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** Called for each request, so that rotated and exec-plugin tokens work; cache inside. */
  readonly token?: () => string | Promise<string>;
  /** Client certificate that changes over time (exec plugins); wins over the two fields above. Cache inside. */
  readonly clientIdentity?: () => Promise<{ readonly certificate: string; readonly key: string } | undefined>;
  /** Called on a 401, which is tried once more when this is done: drop cached credentials, and wait for new ones if they must come soon. */
  readonly refreshCredentials?: (signal: AbortSignal) => void | Promise<void>;
  /** Namespace of the current context or of the pod. */
  readonly namespace: string;
  readonly impersonate?: { readonly user: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
}
