/** Config maps, secrets and service accounts. */
import { CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { parseJson } from '@turnsole/kube/text/json';
import {
  type ApiObject,
  asJson,
  asString,
  isJson,
  type Json,
  semanticallyEqual,
  setDefault,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors, invalidField, requiredField } from '../validation/field.ts';
import { checkConfigKey } from '../validation/names.ts';
import { defineKind, fieldAt } from './define.ts';
import type { KindDefinition } from './kind.ts';

/** Limit of all values together, as etcd could hold them. */
const MAX_BYTES = 1024 * 1024;

function keysOf(value: unknown): string[] {
  return Object.keys(asJson(value));
}

function validateData(object: ApiObject, fields: readonly string[]): FieldErrors {
  const errors = new FieldErrors();
  let bytes = 0;
  for (const field of fields) {
    for (const [key, value] of Object.entries(asJson(object[field]))) {
      errors.named(`${field}[${key}]`, key, checkConfigKey);
      bytes += asString(value).length;
    }
  }
  if (bytes > MAX_BYTES * (fields.includes('binaryData') ? 1 : 4 / 3)) {
    errors.push({
      ...invalidField('', '', ''),
      type: 'FieldValueTooLong',
      path: fields.length > 1 ? '[]' : 'data',
      detail: `may not be more than ${MAX_BYTES} bytes`,
    });
  }
  return errors;
}

function validateImmutable(object: ApiObject, old: ApiObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  const errors = new FieldErrors();
  const words = 'field is immutable when `immutable` is set';
  if (object.immutable !== true) errors.forbidden('immutable', words);
  for (const field of fields)
    if (!semanticallyEqual(object[field], old[field])) errors.forbidden(field, words);
  return errors;
}

/** `stringData` is a way to write, never to read. */
function takeStringData(object: ApiObject): void {
  const { stringData } = object;
  if (!isJson(stringData)) return;
  const data: Json = { ...asJson(object.data) };
  for (const [key, value] of Object.entries(stringData))
    data[key] = Buffer.from(asString(value)).toString('base64');
  object.data = data;
  delete object.stringData;
}

const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

/** Checks the content of typed secrets. */
function validateTyped(secret: ApiObject): FieldError[] {
  const data = asJson(secret.data);
  switch (secret.type) {
    case 'kubernetes.io/basic-auth':
      // One of the two is enough.
      if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) return [];
      return [requiredField('data[username]'), requiredField('data[password]')];
    case 'kubernetes.io/service-account-token':
      return (secret.metadata.annotations?.[ACCOUNT_NAME] ?? '') === ''
        ? [requiredField(`metadata.annotations[${ACCOUNT_NAME}]`)]
        : [];
    case 'kubernetes.io/dockerconfigjson':
      return isJsonText(data['.dockerconfigjson'])
        ? []
        : [
            invalidField(
              'data[.dockerconfigjson]',
              '<secret contents redacted>',
              'invalid character in JSON',
            ),
          ];
    default:
      return [];
  }
}

function isJsonText(encoded: unknown): boolean {
  return (
    encoded === undefined ||
    parseJson(Buffer.from(asString(encoded), 'base64').toString('utf8')) !== undefined
  );
}

export const CONFIG_KINDS: readonly KindDefinition[] = [
  defineKind(CONFIG_MAPS, {
    shortNames: ['cm'],
    rules: {
      validate: (object) => {
        const errors = validateData(object, ['data', 'binaryData']);
        for (const key of keysOf(object.data)) {
          if (!Object.hasOwn(asJson(object.binaryData), key)) continue;
          errors.invalid(`data[${key}]`, key, `duplicate of key present in binaryData`);
        }
        return errors;
      },
      validateUpdate: (object, old) => validateImmutable(object, old, ['data', 'binaryData']),
    },
    columns: [
      NAME_COLUMN,
      column('Data', (object) => keysOf(object.data).length + keysOf(object.binaryData).length),
      AGE_COLUMN,
    ],
  }),
  defineKind(SECRETS, {
    rules: {
      applyDefaults: (object) => {
        takeStringData(object);
        setDefault(object, 'type', 'Opaque');
      },
      prepareUpdate: (object, old) => {
        if (asString(object.type) === '') object.type = old.type;
      },
      validate: (object) => {
        const errors = validateData(object, ['data']);
        errors.push(...validateTyped(object));
        for (const key of REQUIRED_KEYS[asString(object.type)] ?? []) {
          if (!Object.hasOwn(asJson(object.data), key)) errors.required(`data[${key}]`);
        }
        return errors;
      },
      validateUpdate: (object, old) => [
        ...(object.type === old.type ? [] : [invalidField('type', object.type, 'field is immutable')]),
        ...validateImmutable(object, old, ['data']),
      ],
    },
    columns: [
      NAME_COLUMN,
      column('Type', (object) => asString(object.type)),
      column('Data', (object) => keysOf(object.data).length),
      AGE_COLUMN,
    ],
    fields: { type: fieldAt('type') },
  }),
  defineKind(SERVICE_ACCOUNTS, {
    shortNames: ['sa'],
    returnsDeleted: true,
    columns: [NAME_COLUMN, AGE_COLUMN],
    subresources: [
      {
        name: 'token',
        kind: 'TokenRequest',
        group: 'authentication.k8s.io',
        version: 'v1',
        verbs: ['create'],
      },
    ],
  }),
];
