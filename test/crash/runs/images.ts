/** What the images of these tests stand for: the components, and the stand-ins of test/faults/support. */
import { fileURLToPath } from 'node:url';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { compileCacheDirectory } from '../../../src/embedded/compile-cache.ts';

/** Word in the command line of an application's process. */
export const APP_WORD = 'crash-app';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const standIn = (name: string): string => here(`../../faults/support/${name}`);
const path = (name: string) => ({ PATH: `${standIn(name)}:${process.env.PATH}` });
const NODE = process.execPath;

export const IMAGES: ReadonlyMap<string, ImageEntry> = new Map([
  [
    'crash/chaos',
    {
      entrypoint: [NODE, here('component.ts')],
      // As the images of the product have it: pods start in half the time.
      env: { NODE_COMPILE_CACHE: compileCacheDirectory(process.env) },
      reachesMachine: true,
      // Marks on the node are files below the machine's /tmp.
      findsTemp: true,
    },
  ],
  ['crash/app', { entrypoint: [NODE, standIn('chaos-monkey.mjs'), APP_WORD] }],
  ['crash/bmc', { entrypoint: [NODE, here('bmc.ts')] }],
  ['kafka', { entrypoint: [NODE, standIn('line-server.mjs')] }],
  ['cassandra', { entrypoint: [NODE, standIn('line-server.mjs')], env: path('cassandra/bin') }],
  ['grafana/k6-operator', { entrypoint: [NODE, standIn('k6-stand-in.mjs')] }],
  [
    'litmuschaos/kafka-client',
    { entrypoint: [], workingDir: standIn('kafka/client'), env: path('kafka/bin') },
  ],
  ['litmuschaos/cassandra-client', { entrypoint: [], workingDir: standIn('cassandra/client') }],
]);
