import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Secret } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import type { Environment } from '@turnsole/kube/text/environment';
import { equalJson } from '@turnsole/kube/text/json';
import { type ControlPlaneClient, createControlPlaneClient } from '../../../agent-link/client.ts';
import { readAddress, requiredVariable } from '../../../agent-link/settings.ts';
import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../../api/agent-objects.ts';
import type { PolicyTrigger } from '../../../api/index.ts';
import { UsageError } from '../../../process/usage-error.ts';
import { decideOutcome, type Outcome } from './decide-outcome.ts';

const DOCUMENT = `mutation GitopsNotifier($clusterInfo: InfraIdentity!, $experimentID: ID!) {
  gitopsNotifier(clusterInfo: $clusterInfo, experimentID: $experimentID)
}`;

/** What the tracker needs to speak to the control plane. */
interface NotifierOptions {
  readonly client: KubeClient;
  /** Namespace of the ConfigMap and the Secret. */
  readonly namespace: string;
  /** For what the ConfigMap does not say, such as VERSION. */
  readonly env: Environment;
}

/** Sends triggers to a control plane. Address and key are read for each, so that a new key holds at once. */
export class Notifier {
  readonly #options: NotifierOptions;
  #server: { readonly of: Environment; readonly client: ControlPlaneClient } | undefined;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Sends a trigger once. @throws ApiError when the cluster does not give the configuration; the signal's reason */
  async notify({ id, experimentID = '' }: PolicyTrigger, signal: AbortSignal): Promise<Outcome> {
    const env = await this.#configuration(signal);
    if (env === undefined) {
      return {
        type: 'held',
        why: `there is no ConfigMap ${AGENT_CONFIG_MAP} or no Secret ${AGENT_SECRET}: apply the manifest of the infrastructure`,
      };
    }
    if (env.IS_INFRA_CONFIRMED !== 'true') {
      return { type: 'held', why: 'the infrastructure is not confirmed yet' };
    }
    try {
      const [infraID, accessKey, version] = ['INFRA_ID', 'ACCESS_KEY', 'VERSION'].map((name) =>
        requiredVariable(env, name),
      );
      const variables = { clusterInfo: { infraID, version, accessKey }, experimentID };
      const operation = { query: DOCUMENT, variables, idempotencyKey: id };
      return decideOutcome(await this.#serverOf(env).send(operation, signal));
    } catch (error) {
      if (error instanceof UsageError) return { type: 'held', why: error.message };
      throw error;
    }
  }

  close(): void {
    this.#server?.client.close();
  }

  async #configuration(signal: AbortSignal): Promise<Environment | undefined> {
    const { client, namespace, env } = this.#options;
    // One after the other: where neither can be read, always the ConfigMap is named.
    const config = await client.find<ConfigMap>(CONFIG_MAPS, AGENT_CONFIG_MAP, { namespace, signal });
    const secret = await client.find<Secret>(SECRETS, AGENT_SECRET, { namespace, signal });
    if (config === undefined || secret === undefined) return undefined;
    const secrets = Object.entries(secret.data ?? {}).map(([name, text]) => [
      name,
      Buffer.from(text, 'base64').toString(),
    ]);
    return { ...env, ...config.data, ...Object.fromEntries(secrets) };
  }

  #serverOf(env: Environment): ControlPlaneClient {
    const { SERVER_ADDR, SKIP_SSL_VERIFY, CUSTOM_TLS_CERT } = env;
    const of = { SERVER_ADDR, SKIP_SSL_VERIFY, CUSTOM_TLS_CERT };
    if (this.#server === undefined || !equalJson(this.#server.of, of)) {
      const client = createControlPlaneClient(readAddress(env));
      this.#server?.client.close();
      this.#server = { of, client };
    }
    return this.#server.client;
  }
}
