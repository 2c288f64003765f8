/** Processes that are killed: the image of experiments and helpers with the crash faults, and the operator. */

import { loadKubeconfig } from '@turnsole/kube/client/index';
import { surviveFailingOutput } from '../../../src/cli/signals.ts';
import type { FaultRegistry } from '../../../src/experiment/injection/fault.ts';
import { faultRegistry } from '../../../src/faults/index.ts';
import { CRASH_FAULTS } from './faults.ts';

const faults: FaultRegistry = new Map([...faultRegistry, ...CRASH_FAULTS]);
const [program, ...argv] = process.argv.slice(2);

async function run(): Promise<number> {
  switch (program) {
    case 'experiment': {
      const { runExperimentMain } = await import('../../../src/experiment/run/main/experiment-main.ts');
      return runExperimentMain(argv, process.env, faults);
    }
    case 'helper': {
      const { runHelperMain } = await import('../../../src/experiment/helper/main/helper-main.ts');
      return runHelperMain(argv, process.env, faults);
    }
    case 'operator': {
      const { runOperator } = await import('../../../src/components/operator/run-operator.ts');
      const config = await loadKubeconfig({ path: argv[0] ?? '' });
      const flags = ['-metrics-bind-address=0', '-health-probe-bind-address=0'];
      return runOperator(flags, { ...process.env, WATCH_NAMESPACE: '' }, { config });
    }
    default:
      throw new Error(`there is no program ${program}`);
  }
}

// As the command does: whoever read a pod's output may have been killed.
surviveFailingOutput();
process.exit(await run());
