/** The admission webhook: valid chaos kinds only, and only what their creator may do themselves. See README.md. */
export {
  WEBHOOK_PERMISSIONS,
  webhookConfigurationPermissions,
  webhookSecretPermissions,
} from './permissions.ts';
export { runWebhook, type WebhookIo } from './run-webhook.ts';
