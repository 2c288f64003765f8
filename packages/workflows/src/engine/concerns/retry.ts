import type { NodeStatus } from '../../kinds/status.ts';
import type { RetryStrategy } from '../../kinds/template.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { membersOf } from '../graph.ts';
import { NodeError, nodeMessage } from '../node-error.ts';
import { isFailed, isFulfilled } from '../node-state.ts';
import { startTemplate } from '../start.ts';
import { inputNames } from '../substitution/bind-inputs.ts';
import { layered, namesOf } from '../substitution/names.ts';
import { evaluate, substitute } from '../substitution/render.ts';
import { parseScope } from '../template-scope.ts';
import { dueAt, lastAttemptEnd } from './back-off.ts';
import { isOnExit, stoppedMessage } from './shutdown.ts';
import { workflowDeadline } from './timeouts.ts';

/** Goes on with a Retry node: judges its last attempt, and starts the next one if one is due. */
export function visitRetry(draft: Draft, retry: NodeStatus): void {
  const node = draft.get(retry.id) ?? retry;
  if (isFulfilled(node)) return;
  const attempts = attemptsOf(draft, node);
  const last = attempts.at(-1);
  if (last === undefined) {
    startAttempt(draft, node, 0);
    return;
  }
  if (!isFulfilled(last)) return;
  if (!isFailed(last)) {
    draft.end(node, 'Succeeded', undefined, { outputs: last.outputs });
    return;
  }
  const verdict = judge(draft, node, attempts, last);
  if (verdict.kind === 'again') {
    startAttempt(draft, node, attempts.length);
    return;
  }
  if (verdict.kind === 'wait') return void draft.update(node, { message: verdict.message });
  draft.end(node, last.phase, verdict.message, verdict.isStopped ? {} : { outputs: last.outputs });
}

function attemptsOf(draft: Draft, node: NodeStatus): NodeStatus[] {
  return membersOf(draft.childrenOf(node));
}

function startAttempt(draft: Draft, retry: NodeStatus, attempt: number): void {
  const boundary = draft.boundaryOf(retry);
  const inline = retry.templateName === undefined && retry.templateRef === undefined;
  const started = startTemplate(draft, {
    name: `${retry.name}(${attempt})`,
    holder: inline
      ? { inline: frameOf(draft, retry).template }
      : {
          ...(retry.templateName !== undefined && { template: retry.templateName }),
          ...(retry.templateRef && { templateRef: retry.templateRef }),
        },
    scope: parseScope(retry.templateScope, draft.workflowName),
    args: retry.inputs,
    boundary,
    flag: { retried: true, ...(retry.nodeFlag?.hooked && { hooked: true }) },
  });
  if (started.kind === 'blocked') return;
  draft.addChild(retry.id, started.node.id);
  draft.update(draft.get(retry.id) ?? retry, { message: undefined });
}

type Verdict =
  | { readonly kind: 'again' }
  | { readonly kind: 'wait'; readonly message: string }
  | {
      readonly kind: 'over';
      readonly message: string | undefined;
      /** The workflow is shutting down: the result of the attempt does not count. */
      readonly isStopped?: boolean;
    };

function over(message: string | undefined): Verdict {
  return { kind: 'over', message };
}

/** What follows a failed attempt. The order of the questions is that of the reference (2.6). */
function judge(draft: Draft, node: NodeStatus, attempts: readonly NodeStatus[], last: NodeStatus): Verdict {
  const strategy = frameOf(draft, node).template.retryStrategy ?? {};
  const { shutdown } = draft.run.controls;
  if (shutdown !== undefined && !(shutdown === 'Stop' && isOnExit(node))) {
    return { kind: 'over', message: stoppedMessage(shutdown), isStopped: true };
  }
  const deadline = workflowDeadline(draft);
  if (deadline !== undefined && draft.now > deadline && !isOnExit(node)) {
    return over(`retry exceeded workflow deadline ${draft.time}`);
  }
  try {
    const limit = strategy.limit === undefined ? undefined : limitOf(strategy.limit);
    const waiting = backOff(draft, strategy, attempts, last, limit);
    if (waiting !== undefined) return waiting;
    if (!isRetried(strategy, last)) return over(last.message);
    if (limit !== undefined && attempts.length > limit) return over('No more retries left');
    if (!holds(draft, node, strategy, attempts, last))
      return over('retryStrategy.expression evaluated to false');
    return { kind: 'again' };
  } catch (error) {
    return over(nodeMessage(error));
  }
}

function limitOf(limit: number | string): number {
  const number = Number(limit);
  if (Number.isInteger(number)) return number;
  throw new NodeError(`retryStrategy.limit must be an integer, but is ${JSON.stringify(limit)}`);
}

/** Attempts without a limit of their number do not wait for each other, as with Argo; their time is limited all the same. */
function backOff(
  draft: Draft,
  { backoff }: RetryStrategy,
  attempts: readonly NodeStatus[],
  last: NodeStatus,
  limit: number | undefined,
): Verdict | undefined {
  if (backoff === undefined) return undefined;
  const maxEnd = lastAttemptEnd(backoff, attempts[0]) ?? Number.POSITIVE_INFINITY;
  if (draft.now > maxEnd) return over('Max duration limit exceeded');
  const due = dueAt(backoff, attempts.length, last);
  if (due > maxEnd) return over('Backoff would exceed max duration limit');
  const isAnyLeft = limit !== undefined && attempts.length <= limit;
  return isAnyLeft && draft.now < due
    ? { kind: 'wait', message: `Backoff for ${humanDuration(due - draft.now)}` }
    : undefined;
}

/** `1 minute 5 seconds`, as Argo says it. */
function humanDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  if (shown.length === 0) return '0 seconds';
  return shown.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' ');
}

/** When a Retry node that waits is to be looked at again; undefined for one that does not wait. */
export function retryWakeAt(draft: Draft, node: NodeStatus): number | undefined {
  if (node.message === undefined || !node.message.startsWith('Backoff for')) return undefined;
  const { backoff, limit } = frameOf(draft, node).template.retryStrategy ?? {};
  const attempts = attemptsOf(draft, node);
  const last = attempts.at(-1);
  if (backoff === undefined || limit === undefined || last === undefined) return undefined;
  return dueAt(backoff, attempts.length, last);
}

const TRANSIENT =
  /timeout|timed out|connection (?:refused|reset)|too many requests|temporarily unavailable|exceeded quota/i;

function isRetried({ retryPolicy, expression }: RetryStrategy, { phase, message }: NodeStatus): boolean {
  const policy = retryPolicy || (expression ? 'Always' : 'OnFailure');
  switch (policy) {
    case 'Always':
      return true;
    case 'OnError':
      return phase === 'Error';
    case 'OnFailure':
      return phase === 'Failed';
    case 'OnTransientError':
      return TRANSIENT.test(message ?? '');
  }
}

function holds(
  draft: Draft,
  node: NodeStatus,
  { expression }: RetryStrategy,
  attempts: readonly NodeStatus[],
  last: NodeStatus,
): boolean {
  if (expression === undefined || expression === '') return true;
  const own = new Map([
    ...inputNames(frameOf(draft, node).template),
    ['retries', String(attempts.length - 1)],
    ['lastRetry.exitCode', last.outputs?.exitCode ?? '-1'],
    ['lastRetry.status', last.phase],
    ['lastRetry.duration', String(secondsBetween(last))],
    ['lastRetry.message', last.message ?? ''],
  ]);
  const names = layered(namesOf(own), draft.globals);
  const { text } = substitute({ text: expression }, names, draft.pass('last'));
  const value = evaluate(text, names, draft.pass('last'));
  if (typeof value !== 'boolean')
    throw new NodeError(`retryStrategy.expression must be a boolean, but is ${String(value)}`);
  return value;
}

function secondsBetween({ startedAt, finishedAt }: NodeStatus): number {
  return startedAt && finishedAt ? (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000 : 0;
}
