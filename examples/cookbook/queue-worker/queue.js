// A queue with a job every 400 ms. A job that a worker has taken and not acknowledged within two seconds is given to another one. It also
// keeps the results, and so knows which jobs have none long after they were made: not done at all, or acknowledged and then lost.
import { createServer } from 'node:http';

const LEASE_MS = 2_000;
const LATE_MS = 6_000;
const jobs = new Map();
let next = 1;
setInterval(() => jobs.set(next++, { madeAt: Date.now(), leasedUntil: 0 }), 400).unref();

function take() {
  const now = Date.now();
  for (const [id, job] of jobs) {
    if (job.isDone || job.leasedUntil > now) continue;
    job.leasedUntil = now + LEASE_MS;
    return String(id);
  }
  return '';
}

const server = createServer((request, response) => {
  const [, what, id] = request.url.split('/');
  const job = jobs.get(Number(id));
  if (what === 'job') response.end(take());
  else if (what === 'result' && job !== undefined) job.hasResult = true;
  else if (what === 'done' && job !== undefined) job.isDone = true;
  else if (what === 'lost') {
    const late = ({ madeAt, hasResult }) => !hasResult && Date.now() - madeAt > LATE_MS;
    const lost = [...jobs.values()].filter(late).length;
    response.statusCode = lost === 0 ? 200 : 409;
    response.write(`${lost} jobs have no result after ${LATE_MS / 1000} s\n`);
  }
  response.end();
});
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
