import { list, patterned, text } from '../../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../../experiment/injection/settings/parse-tunables.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';

/** Settings of every fault of AWS: where, and with which credentials. */
export const AWS_TUNABLES = {
  REGION: patterned(
    { pattern: '[a-z]{2}(-[a-z]+)+-\\d+', form: 'a region, such as eu-west-1' },
    'Region of the resources; default: AWS_REGION.',
  ),
  AWS_REGION: text('Region where REGION is not set.'),
  AWS_SHARED_CREDENTIALS_FILE: text(
    'File with credentials, in the form of ~/.aws/credentials. One that does not exist counts as not set.',
    '/tmp/cloud_config.yml',
  ),
  AWS_PROFILE: text('Profile of that file; default: default.'),
  AWS_ACCESS_KEY_ID: text('Key, in place of a file.'),
  AWS_SECRET_ACCESS_KEY: text('Secret of that key.'),
  AWS_SESSION_TOKEN: text('Token of a key that is valid for a time.'),
  AWS_ROLE_ARN: text(
    'Role that is taken on with the token of AWS_WEB_IDENTITY_TOKEN_FILE, as EKS sets both.',
  ),
  AWS_WEB_IDENTITY_TOKEN_FILE: text("File with the token of the pod's service account."),
  AWS_ENDPOINT_URL: patterned(
    { pattern: 'https?://.+', form: 'a URL' },
    'Another address than that of AWS, for all of its services.',
  ),
} as const;

export type AwsTunables = typeof AWS_TUNABLES;

/** The region that the settings name; empty without one. Pure. */
export function regionOf({
  REGION,
  AWS_REGION,
}: Pick<Tunables<AwsTunables>, 'REGION' | 'AWS_REGION'>): string {
  return REGION === '' ? AWS_REGION : REGION;
}

/** Problems of the settings of every fault of AWS that needs to be told its region. Pure. */
export function regionProblems(tunables: Tunables<AwsTunables>): readonly TunableProblem[] {
  if (regionOf(tunables) !== '') return [];
  return [{ variable: 'REGION', found: '', expected: 'the region of the resources, such as eu-west-1' }];
}

/** Ids of one kind of resource. */
export function ids(what: string, prefix: string) {
  return list(
    { required: true, pattern: `${prefix}-[0-9a-f]+`, form: `ids such as ${prefix}-0123456789abcdef0` },
    `Ids of the ${what}.`,
  );
}

/** A tag by which resources are found. */
export function tag(what: string) {
  return patterned(
    { required: true, pattern: '[^:]+:.+', form: 'key:value' },
    `Tag of the ${what}, as key:value; * in the value stands for any text.`,
  );
}

/** `key:value` as a filter of Describe… calls. A value may have colons. Pure. */
export function tagFilter(found: string): { readonly Name: string; readonly Values: string[] } {
  const colon = found.indexOf(':');
  return { Name: `tag:${found.slice(0, colon).trim()}`, Values: [found.slice(colon + 1).trim()] };
}

/** What charts give these faults: a file of the Secret `cloud-secret`. */
export const AWS_CREDENTIALS = { secret: 'cloud-secret', mountPath: '/tmp/' } as const;
