import { list, patterned } from '../../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../../experiment/injection/settings/parse-tunables.ts';

const ZONE = { pattern: '[a-z]+-[a-z]+\\d+-[a-z]', form: 'zones such as europe-west1-b' } as const;

/** Settings of every fault of GCP. */
export const GCP_TUNABLES = {
  GCP_PROJECT_ID: patterned(
    { required: true, pattern: '[a-z0-9.:-]+', form: 'the id of a project' },
    'Project of the resources.',
  ),
  ZONES: list({ required: true, ...ZONE }, 'Zones of the resources, one for each name; one for a label.'),
  GCP_CREDENTIALS_DIRECTORY: patterned(
    { default: '/tmp', pattern: '/.*', form: 'a folder' },
    "Folder with the key of a service account, one file for each of its fields (client_email, private_key, …). Without these files: the machine's own identity.",
  ),
  GCP_COMPUTE_ENDPOINT: patterned(
    { default: 'https://compute.googleapis.com', pattern: 'https?://.+', form: 'a URL' },
    'Address of the Compute Engine API.',
  ),
} as const;

export type GcpTunables = typeof GCP_TUNABLES;

/** What charts give these faults: the fields of a key, as files. */
export const GCP_CREDENTIALS = { secret: 'cloud-secret', mountPath: '/tmp/' } as const;

/** Each name has its zone. Pure. */
export function zoneProblems(
  variable: string,
  names: readonly string[],
  zones: readonly string[],
): readonly TunableProblem[] {
  if (names.length === zones.length) return [];
  return [
    {
      variable: 'ZONES',
      found: zones.join(','),
      expected: `as many zones as ${variable} has names: ${names.length}`,
    },
  ];
}

/** A label has one zone. Pure. */
export function oneZoneProblems(zones: readonly string[]): readonly TunableProblem[] {
  if (zones.length === 1) return [];
  return [{ variable: 'ZONES', found: zones.join(','), expected: 'one zone' }];
}

/** A label by which resources are found. */
export function label(what: string) {
  return patterned(
    { required: true, pattern: '[a-z][a-z0-9_-]*(:[a-z0-9_-]*)?', form: 'key, or key:value' },
    `Label of the ${what}: key, or key:value.`,
  );
}

/** `key` or `key:value` as a filter of lists. Pure. */
export function labelFilter(found: string): string {
  const [key = '', value] = found.split(':');
  return value === undefined ? `labels.${key}:*` : `labels.${key}=${value}`;
}
