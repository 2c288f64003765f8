/** The expressions of a ValidatingAdmissionPolicy about one request. Source: kubernetes.io, Validating Admission Policy. */
import { messageOf } from '@turnsole/kube/text/error-message';
import { runWithin } from '@turnsole/kube/text/watchdog';
import { CelError } from './environment.ts';
import { holdsFor, type MatchCondition } from './match-conditions.ts';
import { programOf } from './programs.ts';
import { fromJson } from './types.ts';

/** Expressions of strangers may take this long for one request, those of a policy with one binding and parameter together. */
export const POLICY_MS = 500;
const MAX_MESSAGE_BYTES = 5 * 1024;

/** What a policy asks of requests. */
export interface PolicyExpressions {
  readonly conditions: readonly MatchCondition[];
  /** In their order: each may use those before it. They are evaluated when they are used, once. */
  readonly variables: readonly Variable[];
  readonly validations: readonly PolicyValidation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly expression: string }[];
}

export interface Variable {
  readonly name: string;
  readonly expression: string;
}

interface PolicyValidation {
  readonly expression: string;
  readonly message: string;
  readonly messageExpression: string;
  /** Reason of the Status; empty: Invalid. */
  readonly reason: string;
}

/** What a policy has against a request. */
interface PolicyDenial {
  readonly message: string;
  /** Absent when the expression could not be evaluated. */
  readonly reason?: string;
  readonly isError: boolean;
}

/**
 * What the expressions have against a request, in their order; nothing when its conditions say that it is not meant.
 *
 * @param reviewed JSON values by name: `object`, `oldObject`, `request`, `namespaceObject`, and `params` where the policy has some
 */
export function denialsOf(
  policy: PolicyExpressions,
  reviewed: Readonly<Record<string, unknown>>,
): readonly PolicyDenial[] {
  try {
    if (!holdsFor(policy.conditions, reviewed)) return [];
    return runWithin(POLICY_MS, () => evaluated(policy, reviewed));
  } catch (error) {
    // The limit of time, too.
    return [{ message: messageOf(error), isError: true }];
  }
}

function evaluated(
  { variables, validations, auditAnnotations }: PolicyExpressions,
  reviewed: Readonly<Record<string, unknown>>,
): PolicyDenial[] {
  const names = [...Object.keys(reviewed), 'variables'];
  const runWith = (expression: string, values: Readonly<Record<string, unknown>>): unknown =>
    programOf(expression, names).run(values);
  const values = valuesOf(variables, reviewed, runWith);
  const run = (expression: string): unknown => runWith(expression, values);
  return [
    ...validations.flatMap((validation) => denialOf(validation, run)),
    // Nothing here keeps an audit log, but an annotation that cannot be made is an error of the policy.
    ...auditAnnotations.flatMap(({ expression }) => annotationMistake(expression, run)),
  ];
}

/**
 * What expressions may use: values by name, and `variables`, each of which is evaluated when it is used, once.
 *
 * @param run evaluates the expression of a variable
 */
export function valuesOf(
  variables: readonly Variable[],
  reviewed: Readonly<Record<string, unknown>>,
  run: (expression: string, values: Readonly<Record<string, unknown>>) => unknown,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = { variables: {} };
  for (const [name, value] of Object.entries(reviewed)) values[name] = fromJson(value);
  for (const { name, expression } of variables) {
    let known: { readonly value: unknown } | undefined;
    Object.defineProperty(values['variables'], name, {
      enumerable: true,
      get: () => {
        known ??= { value: run(expression, values) };
        return known.value;
      },
    });
  }
  return values;
}

function denialOf(validation: PolicyValidation, run: (expression: string) => unknown): PolicyDenial[] {
  const { expression, reason } = validation;
  let result: unknown;
  try {
    result = run(expression);
  } catch (error) {
    return [failed(expression, error)];
  }
  return result === true ? [] : [{ message: messageFor(validation, run), reason, isError: false }];
}

/** The message of the expression for it, where that is one line of a sensible length; else the fixed one; else the expression. */
function messageFor(
  { expression, message, messageExpression }: PolicyValidation,
  run: (expression: string) => unknown,
): string {
  const made = messageExpression === '' ? '' : textOf(messageExpression, run);
  if (made !== '' && !made.includes('\n') && Buffer.byteLength(made) <= MAX_MESSAGE_BYTES) return made;
  return message.trim() || `failed expression: ${expression.trim()}`;
}

function textOf(expression: string, run: (expression: string) => unknown): string {
  try {
    const text = run(expression);
    return typeof text === 'string' ? text.trim() : '';
  } catch (error) {
    if (error instanceof CelError) return '';
    throw error;
  }
}

function annotationMistake(expression: string, run: (expression: string) => unknown): PolicyDenial[] {
  try {
    const value = run(expression);
    if (value === null || typeof value === 'string') return [];
    const message = `valueExpression '${expression}' resulted in unsupported return type. Return type must be either string or null.`;
    return [{ message, isError: true }];
  } catch (error) {
    return [failed(expression, error)];
  }
}

/** @throws the error itself when it is the limit of time, which ends all of the policy */
function failed(expression: string, error: unknown): PolicyDenial {
  if (!(error instanceof CelError)) throw error;
  return { message: `expression '${expression}' resulted in error: ${error.message}`, isError: true };
}
