// A service that takes four seconds to start, and stops at once when it is asked to.
import { createServer } from 'node:http';

const START_MS = 4_000;
setTimeout(() => createServer((_request, response) => response.end('ok\n')).listen(8080), START_MS);
process.on('SIGTERM', () => process.exit(0));
