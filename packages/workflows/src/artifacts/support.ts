import { isObject } from '@turnsole/kube/text/json';
import { type Location, unreachable } from './location.ts';

/** Fields of locations that ask for what Turnsole does not do, and what to use instead. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  s3: {
    roleARN: 'use accessKeySecret and secretKeySecret of a user that has the rights of that role',
    useSDKCreds: 'use accessKeySecret and secretKeySecret',
  },
};

const REFUSED_ENCRYPTION = ['serverSideCustomerKeySecret', 'kmsEncryptionContext'] as const;

/** The part of a location that is not supported: its store, or one of its fields; undefined when all is. Pure. */
export function locationProblem({ kind, fields }: Location): string | undefined {
  const other = unreachable(kind);
  if (other !== undefined) return `it lies in ${kind}, which Turnsole cannot reach: ${other}`;
  for (const [field, instead] of Object.entries(REFUSED[kind] ?? {})) {
    if (isSet(fields[field])) return `${kind}.${field} is not supported: ${instead}`;
  }
  const encryption = fields['encryptionOptions'];
  if (kind === 's3' && isObject(encryption)) {
    const field = REFUSED_ENCRYPTION.find((one) => isSet(encryption[one]));
    if (field !== undefined)
      return `s3.encryptionOptions.${field} is not supported: use enableEncryption, with kmsKeyId or without`;
  }
  return undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== '';
}
