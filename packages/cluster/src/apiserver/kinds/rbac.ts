import type { FieldError } from '@turnsole/kube/schema/field-error';
import { equalJson } from '@turnsole/kube/text/json';
import { type ApiObject, asJson, asList, asObjects, asString, childOf, setDefault } from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors, invalidField, structure, unsupportedField } from '../validation/field.ts';
import { checkPathSegmentName } from '../validation/names.ts';
import { defineKind } from './define.ts';
import type { KindDefinition, Rules } from './kind.ts';

const GROUP = 'rbac.authorization.k8s.io';

function validateRules(object: ApiObject, isNamespaced: boolean): FieldError[] {
  const errors = new FieldErrors();
  for (const [index, rule] of asObjects(object.rules).entries()) {
    const path = `rules[${index}]`;
    const urls = asList(rule.nonResourceURLs);
    if (asList(rule.verbs).length === 0) {
      errors.required(`${path}.verbs`, 'verbs must contain at least one value');
    }
    if (urls.length > 0) {
      if (isNamespaced) {
        errors.invalid(`${path}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs');
      }
      if (
        asList(rule.apiGroups).length + asList(rule.resources).length + asList(rule.resourceNames).length >
        0
      ) {
        errors.invalid(
          `${path}.nonResourceURLs`,
          urls,
          'rules cannot apply to both regular resources and non-resource URLs',
        );
      }
      continue;
    }
    if (asList(rule.apiGroups).length === 0) {
      errors.required(`${path}.apiGroups`, 'resource rules must supply at least one api group');
    }
    if (asList(rule.resources).length === 0) {
      errors.required(`${path}.resources`, 'resource rules must supply at least one resource');
    }
  }
  return errors;
}

function validateBinding(object: ApiObject, isNamespaced: boolean): FieldError[] {
  const ref = asJson(object.roleRef);
  const errors = new FieldErrors();
  errors.oneOf('roleRef.apiGroup', ref.apiGroup, [GROUP]);
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  errors.oneOf('roleRef.kind', ref.kind ?? '', kinds);
  const name = asString(ref.name);
  errors.requiredName('roleRef.name', name, checkPathSegmentName);
  for (const [index, subject] of asObjects(object.subjects).entries()) {
    const path = `subjects[${index}]`;
    if (asString(subject.name) === '') errors.required(`${path}.name`);
    switch (subject.kind) {
      case 'ServiceAccount':
        if (asString(subject.namespace) === '' && !isNamespaced) errors.required(`${path}.namespace`);
        if (asString(subject.apiGroup) !== '')
          errors.push(unsupportedField(`${path}.apiGroup`, subject.apiGroup, ['']));
        break;
      case 'User':
      case 'Group':
        errors.oneOf(`${path}.apiGroup`, subject.apiGroup, [GROUP]);
        break;
      default:
        errors.push(
          unsupportedField(`${path}.kind`, subject.kind ?? '', ['ServiceAccount', 'User', 'Group']),
        );
    }
  }
  return errors;
}

function bindingRules(isNamespaced: boolean): Rules {
  return {
    applyDefaults: (object) => {
      const ref = childOf(object, 'roleRef');
      if (asString(ref.apiGroup) === '') ref.apiGroup = GROUP;
      for (const subject of asObjects(object.subjects)) {
        if (subject.kind === 'User' || subject.kind === 'Group') setDefault(subject, 'apiGroup', GROUP);
      }
    },
    validate: (object) => validateBinding(object, isNamespaced),
    validateUpdate: (object, old) =>
      equalJson(object.roleRef, old.roleRef)
        ? []
        : [invalidField('roleRef', roleRefText(object), 'cannot change roleRef')],
  };
}

function roleRefText(object: ApiObject): unknown {
  const { apiGroup, kind, name } = asJson(object.roleRef);
  return structure({ APIGroup: apiGroup, Kind: kind, Name: name });
}

const createdAt = column('Created At', ({ metadata }) => metadata.creationTimestamp ?? '', { type: 'date' });

function subjectsOf(binding: ApiObject, kind: string): string {
  return asObjects(binding.subjects)
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) =>
      kind === 'ServiceAccount' ? `${asString(namespace)}/${asString(name)}` : asString(name),
    )
    .join(', ');
}

const bindingColumns = [
  NAME_COLUMN,
  column('Role', (binding) => {
    const ref = asJson(binding.roleRef);
    return `${asString(ref.kind)}/${asString(ref.name)}`;
  }),
  AGE_COLUMN,
  column('Users', (binding) => subjectsOf(binding, 'User'), { wide: true }),
  column('Groups', (binding) => subjectsOf(binding, 'Group'), { wide: true }),
  column('ServiceAccounts', (binding) => subjectsOf(binding, 'ServiceAccount'), { wide: true }),
];

export const RBAC_KINDS: readonly KindDefinition[] = (
  [
    ['roles', 'Role', true],
    ['clusterroles', 'ClusterRole', false],
    ['rolebindings', 'RoleBinding', true],
    ['clusterrolebindings', 'ClusterRoleBinding', false],
  ] as const
).map(([plural, kind, namespaced]) => {
  const isBinding = plural.endsWith('bindings');
  return defineKind({
    group: GROUP,
    plural,
    kind,
    namespaced,
    checkName: checkPathSegmentName,
    rules: isBinding ? bindingRules(namespaced) : { validate: (object) => validateRules(object, namespaced) },
    columns: isBinding ? bindingColumns : [NAME_COLUMN, createdAt],
  });
});
