import type { Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import { keyOf, located, locationOf } from '../artifacts/location.ts';
import { type SecretKey, secretsIn } from '../artifacts/secrets.ts';
import type { Artifact } from '../kinds/parameters.ts';
import type { NodeArtifacts } from './node-artifacts.ts';

/** Where helpers find the Secrets that locations name, each key as a file: `<folder>/<secret>/<key>`. */
export const SECRETS_FOLDER = '/var/run/turnsole-secrets';

/** Where helpers find the volumes in which artifacts lie. */
const STORES_FOLDER = '/var/run/turnsole-stores';

/** What a helper needs to reach the stores of its artifacts. Users' containers get nothing of it. */
interface StoreMounts {
  readonly artifacts: NodeArtifacts;
  readonly volumes: readonly Volume[];
  readonly mounts: readonly VolumeMount[];
}

/** Gives the helper the credentials and volumes that its artifacts need, and the paths of the volumes. Pure. */
export function withStores(artifacts: NodeArtifacts): StoreMounts {
  const { inputs, outputs, logs, manifest, listed, garbage } = artifacts;
  const stores = new Map<string, Volume>();
  const put = (artifact: Artifact): Artifact => onVolume(artifact, stores);
  const placed: NodeArtifacts = {
    inputs: inputs.map(put),
    outputs: outputs.map((output) => ({ ...output, target: put(output.target) })),
    logs: logs.map((log) => ({ ...log, target: put(log.target) })),
    ...(manifest && { manifest: put(manifest) }),
    ...(listed && { listed: put(listed) }),
    ...(garbage && { garbage: garbage.map(put) }),
  };
  const credentials = secretVolumes(
    secretsIn([inputs, outputs.map(target), logs.map(target), manifest, listed, garbage]),
  );
  const volumes = [...stores.values()];
  return {
    artifacts: placed,
    volumes: [...volumes, ...credentials.map(({ volume }) => volume)],
    mounts: [
      ...volumes.map(({ name }, index) => ({ name, mountPath: `${STORES_FOLDER}/${index}` })),
      ...credentials.map(({ mount }) => mount),
    ],
  };
}

const target = (placed: { readonly target: Artifact }): Artifact => placed.target;

/** An artifact in a volume lies, for the helper, in a folder. */
function onVolume(artifact: Artifact, stores: Map<string, Volume>): Artifact {
  const location = locationOf(artifact);
  if (location?.kind !== 'volume') return artifact;
  const { key: _key, ...source } = location.fields;
  const text = JSON.stringify(source);
  const volume = stores.get(text) ?? { ...source, name: `turnsole-store-${stores.size}` };
  stores.set(text, volume);
  const folder = `${STORES_FOLDER}/${[...stores.keys()].indexOf(text)}`;
  return located(artifact, { kind: 'volume', fields: { key: keyOf(location), folder } });
}

/** Optional, so that the helper says which Secret is not there, in place of a pod that never starts. */
function secretVolumes(secrets: readonly SecretKey[]): { volume: Volume; mount: VolumeMount }[] {
  const byName = Map.groupBy(secrets, ({ name }) => name);
  return [...byName].map(([secretName, keys], index) => {
    const name = `turnsole-secret-${index}`;
    const items = keys.map(({ key }) => ({ key, path: key }));
    return {
      volume: { name, secret: { secretName, items, optional: true } },
      mount: { name, mountPath: `${SECRETS_FOLDER}/${secretName}`, readOnly: true },
    };
  });
}
