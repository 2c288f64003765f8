/** The pure test files, in this one process. */
import { everydayFiles, runTogether } from './files.ts';

runTogether(everydayFiles().pure);
