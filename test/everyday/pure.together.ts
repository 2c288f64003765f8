/** The pure test files, in this one process. */
import { everydayFiles, runTogether } from './files.ts';

await runTogether(everydayFiles().pure);
