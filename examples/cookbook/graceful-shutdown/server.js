// Takes 400 ms for an answer, and ends at once when it is asked to: whoever waits for one gets none.
import { createServer } from 'node:http';

const WORK_MS = 400;
const server = createServer((request, response) => {
  if (request.url === '/healthz') response.end('ok\n');
  else setTimeout(() => response.end('done\n'), WORK_MS);
});
server.listen(8080);

// What answers what is under way, and what still comes until every node has learned that this pod is going:
// process.on('SIGTERM', () => setTimeout(() => server.close(() => process.exit(0)), 500));
process.on('SIGTERM', () => process.exit(0));
