import { messageOf } from '@turnsole/kube/text/error-message';
import { Budget } from '../expression/budget.ts';
import { type ExpressionOptions, evaluateExpression } from '../expression/evaluate.ts';
import { evaluateGovaluate } from '../expression/govaluate/evaluate-govaluate.ts';
import { nestNames } from '../expression/tags/environment.ts';
import { renderTags } from '../expression/tags/render.ts';
import { Instant, type Value } from '../expression/values.ts';
import type { CronWorkflow } from '../kinds/cron-workflow.ts';

/** How often the workflows of a CronWorkflow ended well and badly. */
export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
}

/** A condition that cannot be evaluated, or is none: `message` says which and why. */
export class CronConditionError extends Error {
  override readonly name = 'CronConditionError';
}

/**
 * Whether `stopStrategy.expression` holds; false without one. Pure.
 *
 * @throws CronConditionError
 */
export function shouldStop(cron: CronWorkflow, counts: Counts, options: ExpressionOptions): boolean {
  const { expression } = cron.spec.stopStrategy ?? {};
  if (expression === undefined || expression === '') return false;
  const value = attempt('stopStrategy.expression', expression, () =>
    evaluateExpression(expression, nestNames(variables(cron, counts)), options),
  );
  return asBoolean('stopStrategy.expression', expression, value);
}

/**
 * Whether `when` lets a workflow start; true without one. Tags are replaced first; the rest is a condition of govaluate in
 * which a bare word is a parameter, and no parameters exist. Pure.
 *
 * @throws CronConditionError
 */
export function mayStart(cron: CronWorkflow, counts: Counts, options: ExpressionOptions): boolean {
  const { when } = cron.spec;
  if (when === undefined || when === '') return true;
  const values = new Map(variables(cron, counts));
  const environment = nestNames(values);
  const value = attempt('when', when, () => {
    const rendered: unknown = JSON.parse(
      renderTags(JSON.stringify(when), {
        lookup: (name) => textOf(values.get(name)),
        evaluate: (expression) => evaluateExpression(expression, environment, options),
      }),
    );
    return evaluateGovaluate(String(rendered), 'parameters', new Budget(options.limits));
  });
  return asBoolean('when', when, value);
}

function attempt<T>(field: string, source: string, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    const reason = messageOf(error);
    throw new CronConditionError(`cannot evaluate spec.${field} ${JSON.stringify(source)}: ${reason}`, {
      cause: error,
    });
  }
}

function asBoolean(field: string, source: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new CronConditionError(
    `spec.${field} ${JSON.stringify(source)} must be true or false, and is ${JSON.stringify(value) ?? 'nil'}`,
  );
}

/** Names below `cronworkflow`. Annotations have their own values, other than in Argo 4.1.2. */
function variables(cron: CronWorkflow, counts: Counts): (readonly [name: string, value: Value])[] {
  const { name = '', namespace = '', labels = {}, annotations = {} } = cron.metadata;
  return [
    ['cronworkflow.name', name],
    ['cronworkflow.namespace', namespace],
    ['cronworkflow.labels.json', JSON.stringify(labels)],
    ['cronworkflow.annotations.json', JSON.stringify(annotations)],
    ...Object.entries(labels).map(([key, value]) => [`cronworkflow.labels.${key}`, value] as const),
    ...Object.entries(annotations).map(([key, value]) => [`cronworkflow.annotations.${key}`, value] as const),
    ['cronworkflow.lastScheduledTime', instantOf(cron.status?.lastScheduledTime)],
    ['cronworkflow.succeeded', BigInt(counts.succeeded)],
    ['cronworkflow.failed', BigInt(counts.failed)],
  ];
}

/** A time, so that expressions can reckon with it; nil before the first one. */
function instantOf(time: string | undefined): Instant | null {
  return time === undefined ? null : new Instant(Date.parse(time));
}

/** What a simple tag stands for; a time is RFC 3339, as the status has it. */
function textOf(value: Value | undefined): string | undefined {
  if (value instanceof Instant) return new Date(value.ms).toISOString().replace('.000Z', 'Z');
  return value === undefined ? undefined : value === null ? '' : String(value);
}
