import type { Answer } from './answer.ts';
import { type Identities, sortedEntries } from './identities.ts';

export interface NormaliseOptions {
  /** Keep managed fields (without their times). */
  readonly managedFields: boolean;
  /** The answer to a DELETE: since 1.27 it bears the version of the deletion, before that of the last write. */
  readonly isDelete?: boolean;
}

/** Headers that clients act on. */
const HEADERS = new Set(['allow', 'content-type', 'location', 'retry-after', 'warning']);

/**
 * An answer without what differs in each run or is the server's own business: uids, resource versions, generated names,
 * times, allocated addresses and ports, tokens, ages in tables, other headers. Keys are sorted. The answers of a scenario
 * share `identities`, and have to be given in order.
 */
export function normalise(answer: Answer, identities: Identities, options: NormaliseOptions): Answer {
  const headers = Object.fromEntries(
    sortedEntries(answer.headers).filter(([name]) => HEADERS.has(name)),
  ) as Record<string, string>; // entries of a record of strings
  const rewrite = (value: unknown): unknown => {
    identities.learn(value);
    return rewriteValue(value, { identities, options });
  };
  return {
    status: answer.status,
    headers,
    ...(answer.body === undefined ? {} : { body: rewrite(answer.body) }),
    ...(answer.events === undefined ? {} : { events: answer.events.map(rewrite) }),
  };
}

interface Context {
  readonly identities: Identities;
  readonly options: NormaliseOptions;
}

function rewriteValue(value: unknown, context: Context): unknown {
  if (typeof value === 'string') return rewriteString(value, context);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, context));
  const object = value as Record<string, unknown>; // neither null nor an array
  const entries = sortedEntries(object)
    .filter(([key]) => key !== 'managedFields' || context.options.managedFields)
    .map(([key, child]) => [context.identities.replace(key), rewriteField(key, child, object, context)]);
  return Object.fromEntries(entries);
}

function rewriteField(
  key: string,
  value: unknown,
  parent: Record<string, unknown>,
  context: Context,
): unknown {
  switch (key) {
    case 'resourceVersion':
      if (typeof value !== 'string' || value === '') return value;
      if (typeof parent.uid !== 'string' || typeof parent.name !== 'string') return '<version>';
      return context.identities.version(parent.uid, value, context.options.isDelete === true);
    case 'continue':
      return typeof value === 'string' && value !== '' ? '<continue>' : value;
    case 'clusterIP':
      return maskAddress(value);
    case 'clusterIPs':
      return Array.isArray(value) ? value.map(maskAddress) : value;
    case 'nodePort':
    case 'healthCheckNodePort':
      return typeof value === 'number' && value >= 30_000 ? '<node port>' : value;
    case 'managedFields':
      return byManager(rewriteValue(value, context));
    case 'token':
      return typeof value === 'string' && value.startsWith('ey') ? '<token>' : value;
    case 'cells':
      return Array.isArray(value) ? value.map((cell) => rewriteCell(cell, context)) : value;
    default:
      return rewriteValue(value, context);
  }
}

/**
 * Appliers first, then by name: servers order managers by their times before that, which have whole seconds. Whether two writes fall
 * into one is chance.
 */
function byManager(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries;
  const keyOf = ({ operation, manager, subresource = '' }: Record<string, unknown>): string =>
    [operation === 'Apply' ? 0 : 1, manager, subresource].join('\n');
  return entries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function maskAddress(value: unknown): unknown {
  return typeof value === 'string' && /^\d+\./.test(value) ? '<cluster ip>' : value;
}

function rewriteCell(cell: unknown, context: Context): unknown {
  if (typeof cell !== 'string') return rewriteValue(cell, context);
  if (AGE.test(cell)) return '<age>';
  return ADDRESS.test(cell) ? '<cluster ip>' : rewriteString(cell, context);
}

/** Any address but those that scenarios write (RFC 5737). */
const ADDRESS = /^(?!192\.0\.2\.)\d+\.\d+\.\d+\.\d+$/;

const AGE = /^(?:\d+[smhdy])+$/;

/** Times of the run; those that scenarios send lie before 2025. */
const TIME = /^20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function rewriteString(text: string, { identities }: Context): string {
  const time = TIME.exec(text);
  if (time !== null) return `<time${time[1] === undefined ? '' : ` .${'0'.repeat(time[1].length - 1)}`}>`;
  return identities
    .replace(text)
    .replace(/(ResourceVersion in object meta: |too old resource version: |, current: )\d+/g, '$1<version>')
    .replace(/(in the precondition |in record )\((?:\d{2,})\)/g, '$1(<version>)')
    .replace(/(too old resource version: \S+ )\(\d+\)/g, '$1(<version>)')
    .replace(/(?<=, Key: )\/\w+(?=\/)/g, '/<prefix>'); // where a server keeps everything is a matter of its settings
}
