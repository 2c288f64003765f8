import { tooLong } from '@turnsole/kube/schema/field-error';
import { mediaType } from '../http/decode.ts';
import type { ApiRequest } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { badRequest, invalid } from '../http/status.ts';
import type { User } from '../http/user.ts';
import type { ServerParts, WriteContext } from '../registry/environment.ts';
import type { ServedKind } from '../registry/registry.ts';
import type { UpdateRequest } from '../registry/update.ts';
import { FieldErrors, unsupportedField } from '../validation/field.ts';

/** One request for a resource, as its handler sees it. */
export interface ResourceRequest {
  readonly http: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly kind: ServedKind;
  readonly user: User;
  readonly env: ServerParts;
  /** Collected for the Warning headers of the answer. */
  readonly warnings: string[];
}

/** Namespace that a request is about: '' for kinds without. */
export function namespaceOf({ kind, info }: ResourceRequest): string {
  return kind.definition.namespaced ? info.namespace : '';
}

/** The object or the part of it that the URL of a write names. */
export function targetOf(
  request: ResourceRequest,
): Pick<UpdateRequest, 'kind' | 'namespace' | 'name' | 'subresource'> {
  const { kind, info } = request;
  return { kind, namespace: namespaceOf(request), name: info.name, subresource: info.subresource };
}

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Options of a write out of its query. Throws Invalid. */
export function writeContext(request: ResourceRequest, dryRuns: readonly string[] = []): WriteContext {
  const { query, user, warnings, http } = request;
  const asked = [...query.getAll('dryRun'), ...dryRuns];
  for (const value of asked) {
    if (value === 'All') continue;
    const action = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' }[
      request.info.verb
    ];
    throw invalid('meta.k8s.io', action ?? 'DeleteOptions', '', [
      {
        ...unsupportedField('dryRun', value, ['All']),
        badValue: asked,
      },
    ]);
  }
  checkManager(request);
  return {
    user,
    dryRun: asked.length > 0,
    isNamedManager: (query.get('fieldManager') ?? '') !== '',
    fieldManager: query.get('fieldManager') ?? defaultManager(http.headers['user-agent']),
    warnings,
  };
}

const MANAGER_LIMIT = 128;

function checkManager({ query, http, info }: ResourceRequest): void {
  const errors = new FieldErrors();
  if ((query.get('fieldManager') ?? '').length > MANAGER_LIMIT) {
    errors.push({
      ...tooLong([], '', MANAGER_LIMIT),
      path: 'fieldManager',
      detail: `may not be more than ${MANAGER_LIMIT} bytes`,
    });
  }
  const isApply = mediaType(http.headers['content-type']) === 'application/apply-patch+yaml';
  if (info.verb === 'patch' && !isApply && query.has('force')) {
    errors.forbidden('force', 'may not be specified for non-apply patch');
  }
  if (errors.length === 0) return;
  const options = { create: 'CreateOptions', update: 'UpdateOptions' }[info.verb] ?? 'PatchOptions';
  throw invalid('meta.k8s.io', options, '', errors);
}

/** The manager's name when the client gives none, as in the real server: the program of its user agent. */
function defaultManager(userAgent: string | undefined): string {
  return (userAgent ?? '').split('/', 1)[0] ?? '';
}

/** `fieldValidation` of the query. @default Warn, as in current servers */
export function fieldValidation(request: ResourceRequest): FieldValidation {
  const value = request.query.get('fieldValidation') ?? '';
  if (value === 'Strict' || value === 'Ignore' || value === 'Warn') return value;
  if (value === '') return 'Warn';
  const action = { create: 'CreateOptions', update: 'UpdateOptions' }[request.info.verb] ?? 'PatchOptions';
  throw invalid('meta.k8s.io', action, '', [
    unsupportedField('fieldValidation', value, ['Ignore', 'Strict', 'Warn']),
  ]);
}

/** A number of the query; undefined when absent. Throws BadRequest. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** A truth value of the query: all but `0` and `false` are true, as in the real server. */
export function queryBoolean(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}
