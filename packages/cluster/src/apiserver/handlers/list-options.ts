/** What the query of a LIST or WATCH may combine. The words and their order are those of kube-apiserver 1.36. */
import { invalid } from '../http/status.ts';
import { queryBoolean } from '../request/request.ts';
import { FieldErrors, unsupportedField } from '../validation/field.ts';

const MATCH = 'resourceVersionMatch';

/** Throws Invalid. */
export function checkListOptions(query: URLSearchParams): void {
  const match = query.get(MATCH) ?? '';
  const version = query.get('resourceVersion') ?? '';
  const errors = new FieldErrors();
  if (match !== '') {
    if (version === '') {
      errors.forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`);
    }
    forbidWithContinue(query, errors);
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupportedField(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && version === '0') {
      errors.forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`);
    }
  }
  if (query.has('sendInitialEvents')) {
    errors.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  }
  refuse(errors);
}

/** With what a watch begins. */
export interface InitialEvents {
  /** Whether with the present objects. */
  readonly send: boolean;
  /** Whether a bookmark follows these: a streaming list. */
  readonly bookmark: boolean;
}

/** Throws Invalid. */
export function initialEvents(query: URLSearchParams): InitialEvents {
  const match = query.get(MATCH) ?? '';
  const version = query.get('resourceVersion') ?? '';
  const asksForEvents = query.has('sendInitialEvents');
  const errors = new FieldErrors();
  if (asksForEvents && match !== 'NotOlderThan') {
    errors.forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`);
  }
  if (match !== '') {
    if (!asksForEvents) {
      errors.forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`);
    }
    if (match !== 'NotOlderThan') errors.push(unsupportedField(MATCH, match, ['NotOlderThan']));
    forbidWithContinue(query, errors);
  }
  refuse(errors);
  const isDefault = version === '' || version === '0';
  const send = asksForEvents ? queryBoolean(query, 'sendInitialEvents') : isDefault;
  return { send, bookmark: send && queryBoolean(query, 'allowWatchBookmarks') };
}

function forbidWithContinue(query: URLSearchParams, errors: FieldErrors): void {
  if ((query.get('continue') ?? '') === '') return;
  errors.forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);
}

function refuse(errors: FieldErrors): void {
  if (errors.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', errors);
}
