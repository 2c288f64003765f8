import type {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  Webhook,
  WebhookDelivery,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** What the list shows of a webhook. */
export type ListedWebhook = Pick<
  Webhook,
  'webhookID' | 'name' | 'shownURL' | 'format' | 'events' | 'enabled'
>;

/** What the list shows of a delivery. */
export type ListedDelivery = Pick<
  WebhookDelivery,
  'deliveryID' | 'webhookID' | 'event' | 'summary' | 'state' | 'attempts' | 'lastError' | 'createdAt'
>;

/** The webhooks of a project, and the latest of what was told to them. */
export const WEBHOOKS: Document<
  {
    readonly listWebhooks: readonly ListedWebhook[];
    readonly listWebhookDeliveries: readonly ListedDelivery[];
  },
  { projectID: string }
> = {
  text: `query Webhooks($projectID: ID!) {
    listWebhooks(projectID: $projectID) { webhookID name shownURL format events enabled }
    listWebhookDeliveries(projectID: $projectID) {
      deliveryID webhookID event summary state attempts lastError createdAt
    }
  }`,
};

/** Makes a webhook. Only this answer has its secret. */
export const CREATE_WEBHOOK: Document<
  { readonly createWebhook: { readonly secret: string } },
  { projectID: string; request: CreateWebhookRequest }
> = {
  text: `mutation CreateWebhook($projectID: ID!, $request: CreateWebhookRequest!) {
    createWebhook(projectID: $projectID, request: $request) { secret }
  }`,
};

/** Changes what is given of a webhook. */
export const UPDATE_WEBHOOK: Document<unknown, { projectID: string; request: UpdateWebhookRequest }> = {
  text: `mutation UpdateWebhook($projectID: ID!, $request: UpdateWebhookRequest!) {
    updateWebhook(projectID: $projectID, request: $request) { webhookID }
  }`,
};

/** Takes a webhook away. */
export const DELETE_WEBHOOK: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation DeleteWebhook($projectID: ID!, $id: ID!) { deleteWebhook(projectID: $projectID, webhookID: $id) }`,
};

/** Has a webhook told something. */
export const TEST_WEBHOOK: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation TestWebhook($projectID: ID!, $id: ID!) { testWebhook(projectID: $projectID, webhookID: $id) }`,
};

/** Tries a delivery again that was given up. */
export const RETRY_DELIVERY: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation RetryDelivery($projectID: ID!, $id: ID!) {
    retryWebhookDelivery(projectID: $projectID, deliveryID: $id)
  }`,
};
