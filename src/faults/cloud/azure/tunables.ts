import { choice, patterned, text } from '../../../experiment/injection/settings/declare.ts';

/** Settings of every fault of Azure. */
export const AZURE_TUNABLES = {
  RESOURCE_GROUP: patterned(
    {
      required: true,
      pattern: '[\\p{L}\\p{N}_().-]*[\\p{L}\\p{N}_()-]',
      form: 'the name of a resource group',
    },
    'Resource group of the resources.',
  ),
  SCALE_SET: choice(
    { choices: ['disable', 'enable'], default: 'disable' },
    'enable: the machines are instances of scale sets. Those of a set with flexible orchestration are machines of their own: disable.',
  ),
  AZURE_AUTH_LOCATION: text(
    "File with the credentials of an application and the subscription, as JSON: clientId, clientSecret, tenantId, subscriptionId. One that does not exist counts as not set: the machine's own identity.",
    '/tmp/azure.auth',
  ),
  AZURE_SUBSCRIPTION_ID: patterned(
    { pattern: '[0-9a-fA-F-]+', form: 'the id of a subscription' },
    'Subscription of the resources; default: that of the file.',
  ),
  AZURE_RESOURCE_MANAGER_ENDPOINT: patterned(
    { pattern: 'https?://.+', form: 'a URL' },
    'Another address than that of the file, or of the public cloud.',
  ),
} as const;

export type AzureTunables = typeof AZURE_TUNABLES;

/** What charts give these faults: the file as the key `azure.auth` of a Secret. */
export const AZURE_CREDENTIALS = { secret: 'cloud-secret', mountPath: '/tmp/' } as const;
