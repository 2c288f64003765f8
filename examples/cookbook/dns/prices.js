// Knows a price.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('{"price":42}\n'));
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
