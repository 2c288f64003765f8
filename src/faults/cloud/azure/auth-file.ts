import { readFile } from 'node:fs/promises';
import type { AzurePrincipal } from '@turnsole/cloud/azure/open';
import { isObject } from '@turnsole/kube/text/json';
import { SettingsError } from '../../../experiment/injection/errors.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import type { AzureTunables } from './tunables.ts';

/** Which account, where, and as whom. */
export interface AzureAccount {
  readonly subscription: string;
  /** Address of the Resource Manager. */
  readonly endpoint: string;
  /** What tokens are for, wherever the API is reached. */
  readonly audience: string;
  /** Undefined: the machine's own identity. */
  readonly principal?: AzurePrincipal;
}

const PUBLIC_CLOUD = 'https://management.azure.com';

/** The account that the settings mean. @throws SettingsError naming what is missing */
export async function accountOf(settings: Tunables<AzureTunables>): Promise<AzureAccount> {
  return parseAccount(await readIfThere(settings.AZURE_AUTH_LOCATION), settings);
}

async function readIfThere(file: string): Promise<string> {
  if (file === '') return '';
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new SettingsError(`the file of AZURE_AUTH_LOCATION, ${file}, cannot be read: ${String(cause)}`, {
      cause,
    });
  }
}

/** The account in a file's text; empty without a file. Pure. @throws SettingsError */
export function parseAccount(
  text: string,
  settings: Pick<
    Tunables<AzureTunables>,
    'AZURE_AUTH_LOCATION' | 'AZURE_SUBSCRIPTION_ID' | 'AZURE_RESOURCE_MANAGER_ENDPOINT'
  >,
): AzureAccount {
  const file = `the file of AZURE_AUTH_LOCATION, ${settings.AZURE_AUTH_LOCATION},`;
  const found = text === '' ? {} : parse(text, file);
  const field = (name: string): string => {
    const value = found[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const subscription = settings.AZURE_SUBSCRIPTION_ID || field('subscriptionId');
  if (subscription === '') {
    const where = text === '' ? `${file} does not exist` : `${file} has no subscriptionId`;
    throw new SettingsError(
      `which subscription is meant is not known: ${where}, and AZURE_SUBSCRIPTION_ID is not set`,
    );
  }
  const cloud = field('resourceManagerEndpointUrl') || PUBLIC_CLOUD;
  const place = {
    subscription,
    endpoint: (settings.AZURE_RESOURCE_MANAGER_ENDPOINT || cloud).replace(/\/+$/, ''),
    audience: cloud,
  };
  const [tenantId, clientId, clientSecret] = ['tenantId', 'clientId', 'clientSecret'].map(field);
  if (!tenantId && !clientId && !clientSecret) return place;
  if (!tenantId || !clientId || !clientSecret) {
    throw new SettingsError(
      `${file} has to have tenantId, clientId and clientSecret, or none of them for the machine's own identity`,
    );
  }
  const authority = field('activeDirectoryEndpointUrl');
  return {
    ...place,
    principal: { tenantId, clientId, clientSecret, ...(authority === '' ? {} : { authority }) },
  };
}

function parse(text: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    // Tools of Windows begin files with a mark of their encoding.
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The message of the parser would show a part of the secret.
    throw new SettingsError(`${file} is not JSON`);
  }
  if (!isObject(value)) throw new SettingsError(`${file} has to have an object`);
  return value;
}
