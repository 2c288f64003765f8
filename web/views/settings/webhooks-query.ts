import type {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  Webhook,
  WebhookDelivery,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of a webhook for the list. */
export type ListedWebhook = Pick<
  Webhook,
  'webhookID' | 'name' | 'shownURL' | 'format' | 'events' | 'enabled'
>;

/** Fields of a delivery for the list. */
export type ListedDelivery = Pick<
  WebhookDelivery,
  'deliveryID' | 'webhookID' | 'event' | 'summary' | 'state' | 'attempts' | 'lastError' | 'createdAt'
>;

/** The webhooks of a project, and the latest deliveries to them. */
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

/** Creates a webhook. Only this answer has its secret. */
export const CREATE_WEBHOOK: Document<
  { readonly createWebhook: { readonly secret: string } },
  { projectID: string; request: CreateWebhookRequest }
> = {
  text: `mutation CreateWebhook($projectID: ID!, $request: CreateWebhookRequest!) {
    createWebhook(projectID: $projectID, request: $request) { secret }
  }`,
};

/** Changes the given fields of a webhook. */
export const UPDATE_WEBHOOK: Document<unknown, { projectID: string; request: UpdateWebhookRequest }> = {
  text: `mutation UpdateWebhook($projectID: ID!, $request: UpdateWebhookRequest!) {
    updateWebhook(projectID: $projectID, request: $request) { webhookID }
  }`,
};

/** Deletes a webhook. */
export const DELETE_WEBHOOK: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation DeleteWebhook($projectID: ID!, $id: ID!) { deleteWebhook(projectID: $projectID, webhookID: $id) }`,
};

/** Sends a test event to a webhook. */
export const TEST_WEBHOOK: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation TestWebhook($projectID: ID!, $id: ID!) { testWebhook(projectID: $projectID, webhookID: $id) }`,
};

/** Retries a delivery that was given up. */
export const RETRY_DELIVERY: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation RetryDelivery($projectID: ID!, $id: ID!) {
    retryWebhookDelivery(projectID: $projectID, deliveryID: $id)
  }`,
};
