import { createHash } from 'node:crypto';
import { type FieldError, invalid, plainFieldError } from '@turnsole/kube/schema/field-error';
import { messageOf } from '@turnsole/kube/text/error-message';
import { CUSTOM_RESOURCES } from '../../../api/crds.ts';
import {
  EVENT_TRACKER_POLICIES,
  type EventTrackerPolicy,
  type EventTrackerPolicySpec,
} from '../../../api/index.ts';
import { validate, validatePolicy } from '../../../api/validation/index.ts';
import type { Expression, ReadExpression } from './expression.ts';

/** A policy that can be carried out. */
export interface CompiledPolicy {
  readonly spec: EventTrackerPolicySpec;
  /** The conditions' keys, in their order. */
  readonly keys: readonly Expression[];
  /** Digest of the keys: values of other keys cannot be compared with these. */
  readonly digest: string;
}

/** What came of reading a policy. */
export type PolicyReading =
  | { readonly type: 'ready'; readonly policy: CompiledPolicy }
  /** Every problem, with its field and what is allowed there. */
  | { readonly type: 'invalid'; readonly problems: readonly string[] };

/** Reads a policy: its structure, its rules, its expressions. Pure. */
export function compilePolicy(policy: EventTrackerPolicy, read: ReadExpression): PolicyReading {
  const errors = policyProblems(policy);
  if (errors.length > 0) return { type: 'invalid', problems: errors.map(plainFieldError) };
  const { spec } = policy;
  const keys = spec.conditions.map(({ key }, index) => readKey(key, index, read));
  const wrong = keys.filter((key) => typeof key !== 'function');
  if (wrong.length > 0) return { type: 'invalid', problems: wrong.map(plainFieldError) };
  // Keys that are no expressions were reported above.
  return {
    type: 'ready',
    policy: { spec, keys: keys as Expression[], digest: digestOf(spec.conditions.map(({ key }) => key)) },
  };
}

function readKey(key: string, index: number, read: ReadExpression): Expression | FieldError {
  try {
    return read(key);
  } catch (error) {
    const detail = `must be a JMESPath expression such as spec.replicas: ${messageOf(error)}`;
    return invalid(['spec', 'conditions', index, 'key'], key, detail);
  }
}

/** A short digest of JSON: 60 bits, enough to distinguish the values of one place. */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? 'null')
    .digest('base64url')
    .slice(0, 10);
}

/** Problems of a policy: of its structure, or else of its meaning. An older definition may have let anything in. Pure. */
function policyProblems(policy: EventTrackerPolicy): FieldError[] {
  const { apiVersion, kind, metadata, spec } = policy;
  const schema = CUSTOM_RESOURCES.find(({ resource }) => resource === EVENT_TRACKER_POLICIES)?.schema;
  const structural = schema === undefined ? [] : validate(schema, { apiVersion, kind, metadata, spec });
  return structural.length > 0 ? structural : validatePolicy(policy);
}
