import type { Clock, Random } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { KubeClient } from '../client/types.ts';

/** What every controller, informer and writer of a cluster is given. */
export interface Basics {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The same for those that spread their requests, or retry with a growing delay. */
export interface BasicsWithRandom extends Basics {
  readonly random: Random;
}
