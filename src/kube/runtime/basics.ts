import type { KubeClient } from '../client/types.ts';
import type { Clock, Random } from './clock.ts';
import type { Logger } from './log.ts';

/** What whatever works on a cluster gets from its maker. */
export interface Basics {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The same for whatever spreads its requests, or tries again with growing delay. */
export interface BasicsWithRandom extends Basics {
  readonly random: Random;
}
