/** The test files of controllers, scheduler and node that may share this one process. */
import { everydayFiles, runTogether } from './files.ts';

await runTogether(everydayFiles().shared.controllers);
