import { delimiter, join } from 'node:path';
import { type DetachedCluster, detachedCluster } from '../../support/up.ts';

const IMAGES = join(import.meta.dirname, 'images');

/** Images of Argo's examples that the embedded cluster does not know, and the commands that stand for them. */
const COMMANDS: Readonly<Record<string, string>> = {
  'argoproj/argoexec': 'sh',
  'argoproj/argosay': join(IMAGES, 'argosay'),
  'curlimages/curl': 'curl',
  'docker/whalesay': join(IMAGES, 'cowsay'),
  influxdb: join(IMAGES, 'influxd'),
  nginx: join(IMAGES, 'nginx'),
  python: 'python3',
  'stedolan/jq': 'jq',
};

/** An embedded cluster with the workflow controller, as users start it, whose pods find the commands of the examples' images. */
export async function startExampleCluster(isolation: 'auto' | 'full'): Promise<DetachedCluster> {
  const images = Object.entries(COMMANDS).flatMap(([name, command]) => ['--image', `${name}=${command}`]);
  const PATH = [IMAGES, process.env.PATH ?? ''].join(delimiter);
  return detachedCluster(['--isolation', isolation, '--no-operator', ...images], { PATH });
}
