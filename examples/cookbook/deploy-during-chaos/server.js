// Answers what is under way, and what still comes until every node has learned that this pod is going.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('ok\n'));
server.listen(8080);
process.on('SIGTERM', () => setTimeout(() => server.close(() => process.exit(0)), 500));
