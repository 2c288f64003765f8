import type { FieldError } from '@turnsole/kube/schema/field-error';
import { CUSTOM_RESOURCES } from '../../../api/crds.ts';
import { EVENT_TRACKER_POLICIES, type EventTrackerPolicy } from '../../../api/index.ts';
import { validate, validatePolicy } from '../../../api/validation/index.ts';

/** Problems of a policy: of its structure, or else of its meaning. An older definition may have let anything in. Pure. */
export function policyProblems(policy: EventTrackerPolicy): FieldError[] {
  const { apiVersion, kind, metadata, spec } = policy;
  const schema = CUSTOM_RESOURCES.find(({ resource }) => resource === EVENT_TRACKER_POLICIES)?.schema;
  const structural = schema === undefined ? [] : validate(schema, { apiVersion, kind, metadata, spec });
  return structural.length > 0 ? structural : validatePolicy(policy);
}
