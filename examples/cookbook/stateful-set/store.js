// Writes down each of its starts, and says whether what it wrote before the last one is still there.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// Pods that are not isolated have their mounts below TURNSOLE_POD_ROOT.
const file = `${process.env.TURNSOLE_POD_ROOT ?? ''}/data/starts`;
appendFileSync(file, `${new Date().toISOString()}\n`);
const server = createServer((request, response) => {
  const starts = readFileSync(file, 'utf8').trimEnd().split('\n').length;
  response.statusCode = request.url === '/kept' && starts < 2 ? 409 : 200;
  response.end(`${starts} starts\n`);
});
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
