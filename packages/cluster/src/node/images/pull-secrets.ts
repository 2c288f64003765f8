/** What the Secrets that a pod names for its images say about registries. */
import type { Pod, Secret } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { secretCredentials } from '../../images/credentials/docker-config.ts';
import type { CredentialSource } from '../../images/types.ts';
import { secretData } from '../env/references.ts';

const CONFIG_KEY = '.dockerconfigjson';
const OLD_CONFIG_KEY = '.dockercfg';

/** The sources of credentials of a pod, and a sentence for each Secret that cannot be used. */
export interface PullSecrets {
  readonly sources: readonly CredentialSource[];
  readonly problems: readonly string[];
}

/** Reads the Secrets of `imagePullSecrets`, those of the pod's service account among them, which admission has put there. */
export async function readPullSecrets(
  pod: Pod,
  find: (namespace: string, name: string) => Promise<Secret | undefined>,
): Promise<PullSecrets> {
  const namespace = pod.metadata.namespace ?? '';
  const sources: CredentialSource[] = [];
  const problems: string[] = [];
  for (const { name = '' } of pod.spec?.imagePullSecrets ?? []) {
    if (name === '') continue;
    const secret = await find(namespace, name);
    try {
      if (secret === undefined) throw new Error('it does not exist');
      sources.push(credentialsIn(secret));
    } catch (error) {
      problems.push(`the image pull secret ${namespace}/${name} cannot be used: ${messageOf(error)}`);
    }
  }
  return { sources, problems };
}

/** The credentials of a Secret of one of the two kinds that hold them; pure. @throws Error for other data */
export function credentialsIn(secret: Secret): CredentialSource {
  const data = secretData(secret);
  const [config, old] = [data.get(CONFIG_KEY), data.get(OLD_CONFIG_KEY)];
  const text = config ?? old;
  if (text === undefined) throw new Error(`it has neither ${CONFIG_KEY} nor ${OLD_CONFIG_KEY}`);
  return secretCredentials(text.toString('utf8'), 'its configuration', config === undefined);
}
