// Answers what is under way before it ends.
const server = require('node:http').createServer((_request, response) => response.end('ok'));
server.listen(8080);
process.on('SIGTERM', () => setTimeout(() => server.close(() => process.exit(0)), 500));
