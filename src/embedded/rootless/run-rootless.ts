import { serveInside } from '@turnsole/cluster/rootless/inside';
import { type ChaosClusterOptions, startHere } from '../start-here.ts';
import type { ImageQuestion, RootlessFacts } from './facts.ts';

/** No command can stand for it. */
const UNKNOWN_IMAGE = 'turnsole.invalid/none';

/** Runs the process inside, see `start-rootless.ts`: a cluster until the process outside is done with it. Resolves to the exit code. */
export async function runRootless(): Promise<number> {
  return serveInside<ChaosClusterOptions, RootlessFacts>(async (options, outside, { signal, onProblem }) => {
    const given = { ...options, isolation: 'full', signal } as const;
    const cluster = await startHere(given, { outside }, onProblem);
    const { server, kubeconfigPath, dataDir, capabilities, notIsolated, lacks, knownImages } = cluster;
    const { server: url, socketPath, namespace, token } = cluster.adminConfig;
    const admin = { server: url, socketPath, namespace, token: await token?.() };
    const described = { server, kubeconfigPath, dataDir, capabilities, notIsolated, lacks, knownImages };
    const images = cluster.images();
    const facts = { ...described, admin, images, pullsImages: cluster.knowsImage(UNKNOWN_IMAGE) };
    return {
      facts,
      call: (question, onProgress, asking) => {
        const { about, image } = question as ImageQuestion; // of the same release
        if (about === 'place') return cluster.placeOfImage(image);
        if (about === 'shell') return cluster.hasShell(image);
        return cluster.bringImage(image, { onProgress, signal: asking });
      },
      close: ({ graceMs }) => cluster.close(graceMs === undefined ? {} : { graceMs }),
    };
  });
}
