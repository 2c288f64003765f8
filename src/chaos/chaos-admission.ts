/**
 * What admission refuses of the chaos kinds, on real clusters by the webhook and on the embedded one by its API server. Not exported
 * by `index.ts`, because it loads the generated JSON.
 */

import type { KubeObject } from '@turnsole/kube/kinds/core';
import { equalJson } from '@turnsole/kube/text/json';
import { CUSTOM_RESOURCES } from '../api/crds.ts';
import type { ChaosEngine, ChaosExperiment, ChaosSchedule, EventTrackerPolicy } from '../api/index.ts';
import {
  type FieldError,
  validate,
  validateEngine,
  validateExperiment,
  validatePolicy,
  validateSchedule,
} from '../api/validation/index.ts';

/** An object of any kind, with its specification. */
export interface JudgedObject extends KubeObject {
  readonly spec?: unknown;
}

/**
 * Whether a write changes what chaos will do. Stopping is always allowed, and so are status, finalizers and labels: an abort must
 * depend neither on permissions nor on other faults of the object.
 */
export function changesChaos(object: JudgedObject, before: JudgedObject | null | undefined): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false;
  if (before === undefined || before === null) return true;
  const [now, then] = [withoutState(object.spec), withoutState(before.spec)];
  return !equalJson(now.rest, then.rest) || (now.starts && !then.starts);
}

function withoutState(spec: unknown): { readonly rest: unknown; readonly starts: boolean } {
  // A spec that is no object has no state either.
  const { engineState, scheduleState, ...rest } = (spec ?? {}) as Record<string, unknown>;
  return { rest, starts: (engineState ?? 'active') === 'active' && (scheduleState ?? 'active') === 'active' };
}

/** Problems of a chaos kind's object: of its structure, or else of its meaning. None for other kinds. Pure. */
export function chaosProblems(object: JudgedObject): FieldError[] {
  const definition = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === object.kind);
  if (definition === undefined) return [];
  const { apiVersion, kind, metadata, spec } = object;
  const structural = validate(definition.schema, { apiVersion, kind, metadata, spec });
  return structural.length > 0 ? structural : meaningProblems(object);
}

/** Problems that a schema cannot see, of an object that its schema has passed. */
export function meaningProblems(object: object & { readonly kind?: string }): FieldError[] {
  if (object.kind === 'ChaosEngine') return validateEngine(object as ChaosEngine);
  if (object.kind === 'ChaosExperiment') return validateExperiment(object as ChaosExperiment);
  if (object.kind === 'ChaosSchedule') return validateSchedule(object as ChaosSchedule);
  if (object.kind === 'EventTrackerPolicy') return validatePolicy(object as EventTrackerPolicy);
  return [];
}
