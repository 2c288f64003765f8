import type { EmbeddedCluster } from '@turnsole/cluster/cluster/types';
import type { InstalledImage } from '@turnsole/cluster/node/images/image-entry';
import type { MachineLacks } from '../../chaos/machine-lacks.ts';

/** What a cluster in a process of its own says of itself: plain data. */
export interface RootlessFacts
  extends Pick<EmbeddedCluster, 'server' | 'kubeconfigPath' | 'dataDir' | 'capabilities' | 'notIsolated'> {
  readonly admin: {
    readonly server: string;
    readonly socketPath: string | undefined;
    readonly namespace: string;
    readonly token: string | undefined;
  };
  /** What stands for images there, the most exact and newest last. */
  readonly images: ReadonlyMap<string, Pick<InstalledImage, 'entrypoint' | 'args'>>;
  /** Whether an image that is none of these is pulled. */
  readonly pullsImages: boolean;
  readonly lacks: MachineLacks;
  readonly knownImages: readonly string[];
}

/** What the process outside asks the cluster for. */
export interface ImageQuestion {
  /** Where the image is, whether it has a shell, or that it be brought. */
  readonly about: 'place' | 'shell' | 'bringing';
  readonly image: string;
}
