import { join } from 'node:path';
import { ImageCatalogue } from '@turnsole/cluster/node/images/catalogue';
import { startInside } from '@turnsole/cluster/rootless/start-inside';
import { complain } from '../../process/complain.ts';
import { ownNode } from '../../process/own-node.ts';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import type { ChaosCluster, ChaosClusterOptions } from '../start-here.ts';
import type { ImageQuestion, RootlessFacts } from './facts.ts';

/** The component that is started inside: `run-rootless.ts`. */
const ROOTLESS_COMPONENT = 'rootless-cluster';

/**
 * Starts a cluster in a process that is root of namespaces of its own. Resolves to why it cannot be one where this machine does not let its users.
 *
 * @throws what the start of the cluster throws
 */
export async function startRootless({
  signal = new AbortController().signal,
  ...options
}: ChaosClusterOptions): Promise<ChaosCluster | { readonly missing: string }> {
  const inside = await startInside<typeof options, RootlessFacts>({
    program: [ownNode(), join(PACKAGE_ROOT, 'bin', 'turnsole.js'), ROOTLESS_COMPONENT],
    options,
    onProblem: complain,
    signal,
  });
  if ('missing' in inside) return inside;
  const { facts, call, lost, close } = inside;
  const { admin, images, pullsImages, ...described } = facts;
  const { token, socketPath, ...plain } = admin;
  const catalogue = new ImageCatalogue(images);
  const ask = (
    question: ImageQuestion,
    onProgress?: (text: string) => void,
    asking?: AbortSignal,
  ): Promise<unknown> => call(question, onProgress, asking);
  return {
    ...described,
    isHere: false,
    adminConfig: {
      ...plain,
      ...(socketPath === undefined ? {} : { socketPath }),
      ...(token === undefined ? {} : { token: () => token }),
    },
    images: () => images,
    imageOf: (image) => catalogue.find(image)?.entry,
    knowsImage: (image) => pullsImages || catalogue.find(image) !== undefined,
    // It answers with what the same of the cluster inside gives.
    placeOfImage: (image) => ask({ about: 'place', image }) as ReturnType<ChaosCluster['placeOfImage']>,
    hasShell: (image) => ask({ about: 'shell', image }) as ReturnType<ChaosCluster['hasShell']>,
    bringImage: (image, { onProgress, signal: bringing } = {}) =>
      ask({ about: 'bringing', image }, onProgress, bringing) as ReturnType<ChaosCluster['bringImage']>,
    lost,
    close,
  };
}
