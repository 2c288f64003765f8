/**
 * Other people's programs, as far as tests need them: entries of the catalogue of images of an embedded cluster, on another one an
 * image of their own (Dockerfile).
 */
import { fileURLToPath } from 'node:url';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import type { Container } from '@turnsole/kube/kinds/core';
import { clusterSettings } from '../../cluster/support/settings.ts';

const here = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));
const withPath = (name: string) => ({ PATH: `${here(name)}:${process.env.PATH}` });
const LINE_SERVER = [process.execPath, here('line-server.mjs')];

/** The catalogue, with the names that faults use by default. */
export const STAND_INS: ReadonlyMap<string, ImageEntry> = new Map([
  ['cassandra', { entrypoint: LINE_SERVER, env: withPath('cassandra/bin') }],
  ['litmuschaos/cassandra-client', { entrypoint: [], workingDir: here('cassandra/client') }],
  ['kafka', { entrypoint: LINE_SERVER }],
  [
    'litmuschaos/kafka-client',
    { entrypoint: [], workingDir: here('kafka/client'), env: withPath('kafka/bin') },
  ],
  ['grafana/k6-operator', { entrypoint: [process.execPath, here('k6-stand-in.mjs')] }],
]);

/** A server of a database in a pod of a test. @param name in the catalogue */
export function databaseServer(name: 'cassandra' | 'kafka'): Partial<Container> {
  const { standIns: image, pullPolicy: imagePullPolicy } = clusterSettings() ?? {};
  if (image === undefined || imagePullPolicy === undefined) return { image: name };
  return { image, imagePullPolicy, command: ['node', '/stand-ins/line-server.mjs'] };
}

/** The setting by which a fault takes the stand-in in place of its own image; none where the catalogue has that. */
export function standInSetting(variable: string): Readonly<Record<string, string>> {
  const image = clusterSettings()?.standIns;
  return image === undefined ? {} : { [variable]: image };
}
