/** Rules of PersistentVolumeClaims. Source: core/v1 API reference. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  type ApiObject,
  asJson,
  asList,
  asString,
  type Json,
  semanticallyEqual,
  valueAt,
} from '../object.ts';
import { FieldErrors, forbiddenField } from './field.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export function validateClaim(object: ApiObject): FieldError[] {
  const modes = asList(valueAt(object, 'spec', 'accessModes'));
  const errors = new FieldErrors();
  if (modes.length === 0) errors.required('spec.accessModes', 'at least 1 access mode is required');
  for (const mode of modes) {
    errors.oneOf('spec.accessModes', mode, ACCESS_MODES);
  }
  if (valueAt(object, 'spec', 'resources', 'requests', 'storage') === undefined) {
    errors.required('spec.resources[storage]');
  } else if (asString(valueAt(object, 'spec', 'resources', 'requests', 'storage')).startsWith('-')) {
    const size = valueAt(object, 'spec', 'resources', 'requests', 'storage');
    errors.invalid('spec.resources[storage]', size, 'must be greater than zero');
  }
  return errors;
}

/** A claim is bound once, may get a class where it had none, and may ask for more; the rest stays. */
export function validateClaimUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const before = asJson(old.spec);
  const after = asJson(object.spec);
  return semanticallyEqual(fixed(after, before), fixed(before, before))
    ? []
    : [forbiddenField('spec', IMMUTABLE)];
}

/** The parts of a spec that cannot change, given what it was. */
function fixed(spec: Json, before: Json): Json {
  const {
    resources: _resources,
    volumeAttributesClassName: _class,
    volumeName,
    storageClassName,
    ...rest
  } = spec;
  return {
    ...rest,
    ...(asString(before.volumeName) === '' ? {} : { volumeName }),
    ...(before.storageClassName === undefined ? {} : { storageClassName }),
  };
}
