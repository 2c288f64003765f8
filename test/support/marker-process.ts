/** A process that runs the marker fault against the cluster of a kubeconfig: something to be killed by tests. */
import { runExperimentMain } from '../../src/experiment/index.ts';
import { marker } from '../../src/experiment/testing/marker-fault.ts';

const registry = new Map([['marker', () => Promise.resolve(marker())]]);
process.exit(await runExperimentMain(process.argv.slice(2), process.env, registry));
