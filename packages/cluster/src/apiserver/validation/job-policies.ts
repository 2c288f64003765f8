/** Validation of when a job counts as failed or done. Source: batch/v1 API reference. */
import { OMITTED } from '@turnsole/kube/schema/field-error';
import { asJson, asList, asNumber, asObjects, asString, isJson, type Json } from '../object.ts';
import { FieldErrors, structure } from './field.ts';

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const STATUSES = ['False', 'True', 'Unknown'];

/** Problems of the policy for pods that fail. */
export function validateFailurePolicy(spec: Json): FieldErrors {
  const errors = new FieldErrors();
  const { podFailurePolicy } = spec;
  if (!isJson(podFailurePolicy)) return errors;
  const restart = asJson(asJson(spec.template).spec).restartPolicy;
  const containers = ['containers', 'initContainers'].flatMap((field) =>
    asObjects(asJson(asJson(spec.template).spec)[field]).map(({ name }) => asString(name)),
  );
  for (const [index, rule] of asObjects(podFailurePolicy.rules).entries()) {
    const path = `spec.podFailurePolicy.rules[${index}]`;
    validateAction(rule, path, spec, errors);
    const { onExitCodes } = rule;
    const conditions = asObjects(rule.onPodConditions);
    if (isJson(onExitCodes)) validateCodes(onExitCodes, `${path}.onExitCodes`, containers, errors);
    for (const [at, condition] of conditions.entries()) {
      const place = `${path}.onPodConditions[${at}]`;
      errors.oneOf(`${place}.status`, condition.status, STATUSES);
    }
    if (isJson(onExitCodes) && conditions.length > 0) {
      errors.invalid(path, OMITTED, 'specifying both OnExitCodes and OnPodConditions is not supported');
    }
    if (!isJson(onExitCodes) && conditions.length === 0) {
      errors.invalid(path, OMITTED, 'specifying one of OnExitCodes and OnPodConditions is required');
    }
  }
  if (restart !== 'Never') {
    errors.invalid(
      'spec.template.spec.restartPolicy',
      restart ?? '',
      'only "Never" is supported when podFailurePolicy is specified',
    );
  }
  return errors;
}

function validateAction(rule: Json, path: string, spec: Json, errors: FieldErrors): void {
  const action = asString(rule.action);
  if (action === '') errors.required(`${path}.action`, `valid values: ${ACTIONS.join(', ')}`);
  else errors.oneOf(`${path}.action`, action, ACTIONS);
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    errors.invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set');
  }
}

function validateCodes(codes: Json, path: string, containers: readonly string[], errors: FieldErrors): void {
  const operator = asString(codes.operator);
  errors.oneOf(`${path}.operator`, operator, ['In', 'NotIn']);
  const { containerName } = codes;
  if (containerName !== undefined && !containers.includes(asString(containerName))) {
    errors.invalid(
      `${path}.containerName`,
      containerName,
      'must be one of the container or initContainer names in the pod template',
    );
  }
  const values = asList(codes.values).map((value) => asNumber(value));
  if (values.length === 0) errors.invalid(`${path}.values`, values, 'at least one value is required');
  for (const [index, value] of values.entries()) {
    if (value === 0 && operator === 'In') {
      errors.invalid(`${path}.values[${index}]`, value, 'must not be 0 for the In operator');
    }
    if (values.indexOf(value) < index) errors.duplicate(`${path}.values[${index}]`, value);
  }
  const isOrdered = values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0));
  if (!isOrdered) errors.invalid(`${path}.values`, values, 'must be ordered');
}

/** Problems of the policy by which a job is done before all of its pods are. */
export function validateSuccessPolicy({ successPolicy, completionMode }: Json): FieldErrors {
  const errors = new FieldErrors();
  if (!isJson(successPolicy)) return errors;
  const rules = asObjects(successPolicy.rules);
  const path = 'spec.successPolicy';
  if (completionMode !== 'Indexed') {
    const shown = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    errors.invalid(path, structure({ Rules: shown }), 'requires indexed completion mode');
    return errors;
  }
  if (rules.length === 0)
    errors.required(
      `${path}.rules`,
      'at least one rules must be specified when the successPolicy is specified',
    );
  for (const [index, { succeededIndexes, succeededCount }] of rules.entries()) {
    if (succeededIndexes !== undefined || succeededCount !== undefined) continue;
    errors.required(
      `${path}.rules[${index}]`,
      'at least one of succeededCount or succeededIndexes must be specified',
    );
  }
  return errors;
}
