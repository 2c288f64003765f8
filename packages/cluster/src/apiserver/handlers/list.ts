/** LIST: snapshot, selection, pages. Source: kubernetes.io, API concepts, Resource versions and Retrieving large results. */
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseObject } from '@turnsole/kube/text/json';
import { CompactedError, FutureRevisionError, type Snapshot, type Version } from '../../store/index.ts';
import type { ApiReply } from '../http/exchange.ts';
import { badRequest, expired, StatusError, serverTimeout } from '../http/status.ts';
import { TurnBudget } from '../http/turn-budget.ts';
import { queryInteger, type ResourceRequest } from '../request/request.ts';
import { isSelected, parseSelection, type Selection } from '../selectors/selection.ts';
import { checkListOptions } from './list-options.ts';
import { listReply } from './list-reply.ts';
import { type ListMeta, Renderer } from './render.ts';

export async function handleList(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, query, http } = request;
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  const selection = parseSelection(kind.definition, query);
  const { versions, metadata } = await selectPage(request, selection);
  return listReply(renderer, renderer.ordered(versions), metadata, env.clock);
}

interface Page {
  readonly versions: readonly Version[];
  readonly metadata: ListMeta;
}

async function selectPage(request: ResourceRequest, selection: Selection): Promise<Page> {
  const { kind, query } = request;
  const limit = queryInteger(query, 'limit') ?? 0;
  const given = query.get('resourceVersion') ?? '';
  if ((query.get('continue') ?? '') !== '' && given !== '' && given !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const token = query.get('continue') ?? '';
  const start = token === '' ? undefined : decodeContinue(token);
  const snapshot = readSnapshot(request, selection, start);
  // The snapshot is of one revision, whatever happens while others have their turn.
  const all = snapshot.versions;
  const found: Version[] = [];
  const turn = new TurnBudget();
  let index = 0;
  for (; index < all.length; index += 1) {
    const version = all[index];
    if (turn.isSpent) await turn.next();
    if (version === undefined || !isSelected(kind.definition, selection, version)) continue;
    if (limit > 0 && found.length === limit) break;
    found.push(version);
  }
  const resourceVersion = String(snapshot.revision);
  const last = found.at(-1);
  if (index >= all.length || last === undefined) return { versions: found, metadata: { resourceVersion } };
  const isFiltered = selection.labels.length > 0 || selection.fields.length > 0;
  return {
    versions: found,
    metadata: {
      resourceVersion,
      continue: encodeContinue(snapshot.revision, last),
      // The rest is only counted where counting is free.
      ...(isFiltered ? {} : { remainingItemCount: all.length - index }),
    },
  };
}

/** Present state, or the state at the revision that the query pins. */
function readSnapshot(
  request: ResourceRequest,
  selection: Selection,
  start: ContinueToken | undefined,
): Snapshot {
  const { env, kind, info, query } = request;
  const namespace = info.namespace === '' ? selection.namespace : info.namespace;
  const { table } = kind.definition;
  checkListOptions(query);
  try {
    if (start !== undefined) {
      return env.store.listAt(table, start.revision, namespace, start.key);
    }
    const asked = parseListRevision(query.get('resourceVersion') ?? '');
    const exact = query.get('resourceVersionMatch') === 'Exact';
    if (exact && asked > 0) return env.store.listAt(table, asked, namespace);
    if (asked > env.store.revision) throw new FutureRevisionError(asked, env.store.revision);
    if (selection.name !== undefined && (namespace !== undefined || !kind.definition.namespaced)) {
      const one = env.store.get(table, namespace ?? '', selection.name);
      return { revision: env.store.revision, versions: one === undefined ? [] : [one] };
    }
    return env.store.list(table, namespace);
  } catch (error) {
    throw start === undefined ? revisionError(error) : continueError(error);
  }
}

/** Errors of the store as the API words them. */
export function revisionError(error: unknown): unknown {
  if (error instanceof CompactedError) return expired(error.message);
  if (error instanceof FutureRevisionError) {
    return serverTimeout(`Timeout: ${error.message}`, 1, [
      { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
    ]);
  }
  return error;
}

function continueError(error: unknown): unknown {
  if (!(error instanceof CompactedError)) return revisionError(error);
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
  );
}

/** As {@link parseRevision}, for lists, of which an unreadable one is the client's mistake. */
function parseListRevision(text: string): number {
  try {
    return parseRevision(text);
  } catch (error) {
    throw badRequest(`invalid resource version: ${messageOf(error)}`, error);
  }
}

/** A resource version of a query; '' is 0. Throws {@link StatusError}. */
export function parseRevision(text: string): number {
  if (text === '') return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequestVersion(text);
}

function badRequestVersion(text: string): StatusError {
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  // The real server answers 500 without a reason.
  return new StatusError(500, '', message);
}

interface ContinueToken {
  readonly revision: number;
  readonly key: { readonly namespace: string; readonly name: string };
}

function encodeContinue(revision: number, last: Version): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: [last.namespace, last.name] };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function decodeContinue(text: string): ContinueToken {
  const { rv, start } = parseObject(Buffer.from(text, 'base64url').toString('utf8')) ?? {};
  if (typeof rv === 'number' && Array.isArray(start)) {
    return { revision: rv, key: { namespace: String(start[0] ?? ''), name: String(start[1] ?? '') } };
  }
  throw badRequest('invalid continue token: continue key is not valid: it is not well formed');
}
