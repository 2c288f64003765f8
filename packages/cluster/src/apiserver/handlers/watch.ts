/**
 * WATCH: one line of JSON per change. Source: kubernetes.io, API concepts, Efficient detection of changes;
 * for `sendInitialEvents` Streaming lists.
 *
 * An object enters a selection as ADDED and leaves it as DELETED, whatever happened to it outside.
 */
import { type Change, type ChangeType, FutureRevisionError, type Version } from '../../store/index.ts';
import type { ApiReply, StreamSink } from '../http/exchange.ts';
import { StatusError, tooManyRequests } from '../http/status.ts';
import type { ApiObject, Json, Metadata } from '../object.ts';
import { bytesOf, serve } from '../registry/encode.ts';
import type { ServedKind } from '../registry/registry.ts';
import { queryBoolean, queryInteger, type ResourceRequest } from '../request/request.ts';
import { isSelected, parseSelection, type Selection } from '../selectors/selection.ts';
import { objectOf } from '../stored-object.ts';
import { parseRevision, revisionError } from './list.ts';
import { type InitialEvents, initialEvents } from './list-options.ts';
import { Renderer } from './render.ts';

/** Bytes that wait for a reader before its watch stops to follow the store: it goes on from the history later. */
const BUFFER_BYTES = 1024 * 1024;
/** A reader that takes nothing for this long is cut off. It can resume or list again. */
const STALL_MS = 60_000;
/** A bookmark this often, so that a quiet watch can resume after compaction. */
const BOOKMARK_INTERVAL_MS = 60_000;
/** The last bookmark comes this long before a watch ends. */
const LAST_BOOKMARK_MS = 2_000;
/** Watches without a limit of their own end after 30 to 60 minutes, as real servers end them. */
const MIN_TIMEOUT_SECONDS = 1800;
/** Timers cannot be set for much more than this: 24 days. */
const MAX_TIMEOUT_SECONDS = 2_000_000;

/** Keeps count of running watches, ends them when the server closes, and makes what they send once for all of them. */
export class WatchRegistry {
  readonly #ends = new Set<() => void>();
  readonly #byUser = new Map<string, number>();
  readonly #limit: number;
  readonly #limitPerUser: number;
  readonly #lines = new Map<string, Buffer>();
  #linesOf: Version | undefined;

  /** Bytes that may wait for one reader. */
  readonly bufferBytes: number;

  constructor(limit: number, bufferBytes: number = BUFFER_BYTES) {
    this.#limit = limit;
    // Half of it, so that other users have room.
    this.#limitPerUser = Math.ceil(limit / 2);
    this.bufferBytes = bufferBytes;
  }

  get size(): number {
    return this.#ends.size;
  }

  /** Throws TooManyRequests at the limit of all, and at that of the user. */
  check(user: string): void {
    const own = this.#byUser.get(user) ?? 0;
    if (this.#ends.size >= this.#limit) {
      throw tooMany(`the server runs ${this.#limit} watches already, which is its limit`);
    }
    if (own >= this.#limitPerUser) {
      throw tooMany(
        `user ${JSON.stringify(user)} has ${own} watches already, which is the limit of one user`,
      );
    }
  }

  /** Counts a watch until the function that this returns is called. */
  add(user: string, end: () => void): () => void {
    this.#ends.add(end);
    this.#byUser.set(user, (this.#byUser.get(user) ?? 0) + 1);
    return () => {
      if (!this.#ends.delete(end)) return;
      const left = (this.#byUser.get(user) ?? 1) - 1;
      if (left === 0) this.#byUser.delete(user);
      else this.#byUser.set(user, left);
    };
  }

  endAll(): void {
    for (const end of [...this.#ends]) end();
  }

  /**
   * The whole line of an event. All watchers get one change before the next, so only the last one's lines are
   * kept: with each version of the history they were half of the server's memory.
   */
  eventLine(type: ChangeType, kind: ServedKind, version: Version): Buffer {
    if (this.#linesOf !== version) {
      this.#lines.clear();
      this.#linesOf = version;
    }
    const key = `${type} ${kind.apiVersion}`;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = Buffer.concat([HEADS[type], bytesOf(kind, version), TAIL]);
      this.#lines.set(key, line);
    }
    return line;
  }
}

function tooMany(why: string): StatusError {
  return tooManyRequests(`${why}; try again later`, { retryAfterSeconds: 1 });
}

export function handleWatch(request: ResourceRequest, watches: WatchRegistry): ApiReply {
  const { env, kind, query, http } = request;
  const initial = initialEvents(query);
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now(), {
    // The bookmark after the present objects shows a list, which a Table is not.
    withTables: !initial.bookmark,
  });
  const selection = parseSelection(kind.definition, query);
  const asked = parseRevision(query.get('resourceVersion') ?? '');
  // Everything a client may get wrong is read before the answer begins: nothing catches what a stream throws.
  const timeoutSeconds = queryInteger(query, 'timeoutSeconds');
  watches.check(request.user.name);
  const stream = (sink: StreamSink): void => {
    new WatchStream(request, renderer, selection, sink, watches).start(asked, initial, timeoutSeconds);
  };
  return { status: 200, headers: { 'content-type': 'application/json' }, stream };
}

/** One running watch. */
class WatchStream {
  readonly #request: ResourceRequest;
  readonly #renderer: Renderer;
  readonly #selection: Selection;
  readonly #sink: StreamSink;
  readonly #watches: WatchRegistry;
  readonly #cleanups: (() => void)[] = [];
  readonly #selects: boolean;
  #isFirst = true;
  #ended = false;
  #namespace: string | undefined;
  /** Objects that existed at the beginning, and how many of them were visited. */
  #present: readonly Version[] = [];
  #presentSent = 0;
  #marksPresent = false;
  /** Every change up to this revision was sent. */
  #position = 0;
  /** Whether the receiver has to catch up before more is sent. */
  #isBehind = false;
  #owesBookmark = false;
  #stopFollowing: () => void = () => undefined;

  constructor(
    request: ResourceRequest,
    renderer: Renderer,
    selection: Selection,
    sink: StreamSink,
    watches: WatchRegistry,
  ) {
    this.#request = request;
    this.#renderer = renderer;
    this.#selection = selection;
    this.#selects = selection.labels.length > 0 || selection.fields.length > 0;
    this.#sink = sink;
    this.#watches = watches;
  }

  start(asked: number, initial: InitialEvents, timeoutSeconds: number | undefined): void {
    const { env, query } = this.#request;
    const end = (): void => this.#end();
    this.#sink.onClose(end);
    this.#cleanups.push(this.#watches.add(this.#request.user.name, end));
    const asSeconds = timeoutSeconds || MIN_TIMEOUT_SECONDS * (1 + env.random());
    const seconds = Math.min(Math.max(asSeconds, 1), MAX_TIMEOUT_SECONDS);
    const hasBookmarks = queryBoolean(query, 'allowWatchBookmarks');
    this.#cleanups.push(env.clock.setTimer(seconds * 1000, end, { unref: true }));
    if (hasBookmarks) {
      this.#scheduleBookmark();
      // The last word of a watch is where to resume.
      const last = seconds * 1000 - LAST_BOOKMARK_MS;
      if (last > 0) this.#cleanups.push(env.clock.setTimer(last, () => this.#bookmark(), { unref: true }));
    }
    try {
      this.#subscribe(asked, initial);
    } catch (error) {
      this.#fail(error);
    }
  }

  #subscribe(asked: number, initial: InitialEvents): void {
    const { env, kind, info } = this.#request;
    this.#namespace = info.namespace === '' ? this.#selection.namespace : info.namespace;
    const { table } = kind.definition;
    this.#position = asked;
    if (initial.send) {
      if (asked > env.store.revision) throw new FutureRevisionError(asked, env.store.revision);
      // Nothing can be committed between this list and the watch: both are of one revision.
      this.#position = Math.max(asked, env.store.durableRevision);
      this.#present = env.store.listDurable(table, this.#namespace).versions;
      this.#marksPresent = initial.bookmark;
    } else if (asked === 0) {
      this.#position = env.store.durableRevision;
    }
    this.#advance();
  }

  /** Sends what is due, until the receiver has enough for now; then follows the store. */
  #advance(): void {
    this.#isBehind = false;
    while (this.#presentSent < this.#present.length) {
      const version = this.#present[this.#presentSent];
      this.#presentSent += 1;
      if (version !== undefined && this.#matches(version)) this.#send('ADDED', version);
      if (this.#isBehind || this.#ended) return;
    }
    this.#present = [];
    if (this.#marksPresent) this.#bookmark(true);
    this.#marksPresent = false;
    const { env, kind } = this.#request;
    const where = this.#namespace === undefined ? {} : { namespace: this.#namespace };
    const stop = env.store.watch({
      table: kind.definition.table,
      after: this.#position,
      ...where,
      onChange: (change) => this.#onChange(change),
    });
    // Some of the past may have been enough for now, or for good.
    if (this.#isBehind || this.#ended) {
      stop();
      return;
    }
    this.#stopFollowing = stop;
    if (this.#owesBookmark) this.#bookmark();
  }

  /**
   * The receiver takes less than the watch has for it. Instead of piling up bytes the watch stops following, and resumes from
   * its position in the history when the receiver has caught up; a position that was compacted by then is 410.
   */
  #fallBehind(): void {
    const { clock } = this.#request.env;
    this.#isBehind = true;
    this.#stopFollowing();
    const giveUp = clock.setTimer(STALL_MS, () => this.#abort(), { unref: true });
    this.#cleanups.push(giveUp);
    void this.#sink.drained().then(() => {
      giveUp();
      if (this.#ended) return;
      try {
        this.#advance();
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  #matches(version: Version): boolean {
    return !this.#selects || isSelected(this.#request.kind.definition, this.#selection, version);
  }

  #onChange(change: Change): void {
    if (this.#ended || this.#isBehind) return;
    const { type, version, previous } = change;
    this.#position = change.revision;
    if (!this.#selects) {
      this.#send(type, version);
      return;
    }
    const before = previous !== undefined && this.#matches(previous);
    const now = type !== 'DELETED' && this.#matches(version);
    if (now) this.#send(before ? 'MODIFIED' : 'ADDED', version);
    else if (before) this.#send('DELETED', type === 'DELETED' ? version : departed(previous, version));
  }

  #send(type: ChangeType, version: Version): void {
    if (this.#renderer.isPlain) {
      this.#sink.write(this.#watches.eventLine(type, this.#request.kind, version));
    } else {
      this.#write(HEADS[type], serve(this.#request.kind, objectOf(version)));
    }
    if (this.#sink.pendingBytes > this.#watches.bufferBytes) this.#fallBehind();
  }

  #bookmark(endsInitialEvents = false): void {
    // A bookmark says that everything up to it was sent.
    this.#owesBookmark = this.#isBehind && !endsInitialEvents;
    if (this.#owesBookmark) return;
    const { env, kind } = this.#request;
    const metadata: Json = {
      resourceVersion: String(endsInitialEvents ? this.#position : env.store.durableRevision),
      ...(endsInitialEvents ? { annotations: this.#endOfInitialEvents() } : {}),
    };
    this.#write(BOOKMARK, {
      kind: kind.definition.kind,
      apiVersion: kind.apiVersion,
      metadata: metadata as Metadata,
    });
  }

  /** Clients that make a list of the present objects put them into the empty one that they get here. */
  #endOfInitialEvents(): Json {
    const blueprint = Buffer.concat(this.#renderer.list([], { resourceVersion: '' }));
    return {
      'k8s.io/initial-events-end': 'true',
      'kubernetes.io/initial-events-list-blueprint': blueprint.toString('base64'),
    };
  }

  /** One event, its object in the view that was asked for. */
  #write(head: Buffer, object: ApiObject): void {
    const bytes = this.#renderer.object(object, this.#isFirst, this.#request.env.clock.now());
    this.#sink.write(Buffer.concat([head, bytes, TAIL]));
    this.#isFirst = false;
  }

  #scheduleBookmark(): void {
    const { clock } = this.#request.env;
    const again = (): void => {
      if (this.#ended) return;
      this.#bookmark();
      cancel = clock.setTimer(BOOKMARK_INTERVAL_MS, again, { unref: true });
    };
    let cancel = clock.setTimer(BOOKMARK_INTERVAL_MS, again, { unref: true });
    this.#cleanups.push(() => cancel());
  }

  /** A failure after the headers: the stream carries it as an ERROR event and ends. */
  #fail(error: unknown): void {
    const shown = revisionError(error);
    if (!(shown instanceof StatusError)) throw error;
    this.#sink.write(Buffer.from(`${JSON.stringify({ type: 'ERROR', object: shown.toStatus() })}\n`));
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cleanUp();
    this.#sink.end();
  }

  /** Breaks the connection: a client that takes nothing for so long would hold on to its buffers for ever. */
  #abort(): void {
    this.#sink.abort();
    this.#end();
  }

  #cleanUp(): void {
    this.#stopFollowing();
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
  }
}

const HEADS: Readonly<Record<ChangeType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const BOOKMARK = Buffer.from('{"type":"BOOKMARK","object":');
const TAIL = Buffer.from('}\n');

/** An object that left the selection, in its last selected state, at the revision at which it left. */
function departed(previous: Version, version: Version): Version {
  const object = objectOf(previous);
  const metadata = { ...object.metadata, resourceVersion: String(version.revision) };
  return { ...previous, revision: version.revision, object: { ...object, metadata }, encoded: new Map() };
}
