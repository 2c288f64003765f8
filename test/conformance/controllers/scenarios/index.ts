import type { ControllerTheme } from '../harness/scenario.ts';
import { deployments } from './deployments.ts';
import { garbage } from './garbage.ts';
import { jobs } from './jobs.ts';
import { network } from './network.ts';
import { nodes } from './nodes.ts';
import { pods } from './pods.ts';
import { policy } from './policy.ts';
import { sets } from './sets.ts';

/** All scenarios about controllers and nodes. */
export const CONTROLLER_THEMES: readonly ControllerTheme[] = [
  deployments,
  sets,
  jobs,
  pods,
  network,
  policy,
  garbage,
  nodes,
];
