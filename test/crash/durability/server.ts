/** The process that is killed: store and API server in a folder, nothing else. Arguments: folder, history, checkpoint. */
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { SqliteJournal } from '@turnsole/cluster/store/journal/sqlite-journal';

const [directory = '', runDir = '', historyLimit = '', checkpointBytes = ''] = process.argv.slice(2);
const journal = new SqliteJournal({ directory, checkpointBytes: Number(checkpointBytes) });
const server = createApiServer({ dataDir: directory, runDir, journal, historyLimit: Number(historyLimit) });
await server.listen();
process.stdout.write('ready\n');
