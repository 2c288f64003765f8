// Keeps the time of each start in its claim, and answers what is under way before it ends.
const { appendFileSync, readFileSync } = require('node:fs');
const file = `${process.env.TURNSOLE_POD_ROOT ?? ''}/data/starts`;
appendFileSync(file, `${new Date().toISOString()}\n`);
const server = require('node:http').createServer((_request, response) => response.end(readFileSync(file)));
server.listen(8080);
process.on('SIGTERM', () => setTimeout(() => server.close(() => process.exit(0)), 500));
