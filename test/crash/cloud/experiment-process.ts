/** A process that runs a fault against the cluster of a kubeconfig, as its pod would: something to be killed. */
import { runExperimentMain } from '../../../src/experiment/run/main/experiment-main.ts';
import { faultRegistry } from '../../../src/faults/index.ts';

process.exit(await runExperimentMain(process.argv.slice(2), process.env, faultRegistry));
