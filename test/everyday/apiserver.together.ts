/** The test files of the API server and its store that may share this one process. */
import { everydayFiles, runTogether } from './files.ts';

runTogether(everydayFiles().shared.apiserver);
