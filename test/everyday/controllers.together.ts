/** The test files of controllers, scheduler and node that may share this one process. */
import { everydayFiles, runTogether } from './files.ts';

runTogether(everydayFiles().shared.controllers);
