/** The test files of the client, the controller runtime and the rest of `src` that may share this one process. */
import { everydayFiles, runTogether } from './files.ts';

runTogether(everydayFiles().shared.kube);
