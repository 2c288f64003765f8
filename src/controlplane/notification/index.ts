import { memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { createWebhook, deleteWebhook, updateWebhook } from './change-webhook.ts';
import { deliverNotices, forgetDeliveries } from './deliver.ts';
import { listDeliveries, retryDelivery, testWebhook } from './deliveries.ts';
import { asWebhook, webhooksOf } from './webhooks.ts';

/** Webhooks: send events of a project to other services. */
export const notificationNoun: Noun = {
  queries: {
    listWebhooks: async (_args, context) =>
      (await webhooksOf(context.plane.store.read, memberOf(context).project)).map(asWebhook),
    listWebhookDeliveries: ({ request }, context) => listDeliveries(request, context),
  },
  mutations: {
    createWebhook: ({ request }, context) => createWebhook(request, context),
    updateWebhook: ({ request }, context) => updateWebhook(request, context),
    deleteWebhook: ({ webhookID }, context) => deleteWebhook(webhookID, context),
    testWebhook: ({ webhookID }, context) => testWebhook(webhookID, context),
    retryWebhookDelivery: ({ deliveryID }, context) => retryDelivery(deliveryID, context),
  },
  duties: [
    { name: 'deliver notices', everyMs: 1_000, run: deliverNotices },
    { name: 'forget deliveries', everyMs: 60 * 60_000, run: forgetDeliveries },
  ],
};
