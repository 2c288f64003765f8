/** A process that runs the marker fault against the cluster of a kubeconfig: something to be killed by tests. */

import { marker } from '../../src/experiment/injection/testing/marker-fault.ts';
import { runExperimentMain } from '../../src/experiment/run/main/experiment-main.ts';

const registry = new Map([['marker', () => Promise.resolve(marker())]]);
process.exit(await runExperimentMain(process.argv.slice(2), process.env, registry));
