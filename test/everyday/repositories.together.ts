/** The test files of the control plane that work with Git repositories and may share this one process. */
import { everydayFiles, runTogether } from './files.ts';

runTogether(everydayFiles().shared.repositories);
