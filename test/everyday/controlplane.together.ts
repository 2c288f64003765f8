/** The test files of the control plane that may share this one process. */
import { everydayFiles, runTogether } from './files.ts';

runTogether(everydayFiles().shared.controlplane);
