import {
  type FieldError,
  forbidden,
  invalid,
  required,
  tooLong,
  tooMany,
} from '@turnsole/kube/schema/field-error';
import { validateObjectMeta } from '@turnsole/kube/schema/object-meta';
import { subdomainProblems } from '@turnsole/kube/text/names';
import type { EventTrackerPolicy, EventTrackerPolicySpec } from '../schema/event-tracker-policy.ts';

/** The status keeps a digest per condition and workload. */
const MAX_CONDITIONS = 32;
const MAX_KEY_CHARACTERS = 1_024;

/**
 * All problems of a policy that its structure cannot show, except for the expressions: the tracker reads those, and reports their
 * problems in the policy's condition Ready. The value has passed the structural check.
 */
export function validatePolicy({ metadata, spec }: EventTrackerPolicy): FieldError[] {
  return [...validateObjectMeta(metadata), ...conditionErrors(spec), ...startErrors(spec.start)];
}

function conditionErrors({ conditions }: EventTrackerPolicySpec): FieldError[] {
  const at = ['spec', 'conditions'];
  if (conditions.length > MAX_CONDITIONS) return [tooMany(at, conditions.length, MAX_CONDITIONS)];
  return conditions.flatMap(({ key, operator, value }, index) => [
    ...(key.length > MAX_KEY_CHARACTERS ? [tooLong([...at, index, 'key'], key, MAX_KEY_CHARACTERS)] : []),
    ...(operator !== 'Change' && value === undefined
      ? [required([...at, index, 'value'], `${operator} compares with it; only Change needs none`)]
      : []),
  ]);
}

function startErrors(start: EventTrackerPolicySpec['start']): FieldError[] {
  if (start === undefined) return [];
  const errors = subdomainProblems(start.name).map((problem) =>
    invalid(['spec', 'start', 'name'], start.name, problem),
  );
  if (start.parameters !== undefined && start.kind !== 'WorkflowTemplate') {
    errors.push(
      forbidden(
        ['spec', 'start', 'parameters'],
        `only a WorkflowTemplate has parameters, not a ${start.kind}`,
      ),
    );
  }
  return errors;
}
