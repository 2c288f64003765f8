/** The test files of agents and commands that talk to a server, as far as they may share this one process. */
import { everydayFiles, runTogether } from './files.ts';

runTogether(everydayFiles().shared.agents);
