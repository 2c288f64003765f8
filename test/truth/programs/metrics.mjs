/**
 * A small Prometheus of one target for the truth suite: asks TARGET every EVERY_MS, and answers `/api/v1/query` for `failed_ratio`, the
 * share without a 200 of the requests that ended in the last WINDOW_MS, or of the last ones that did.
 */
import http from 'node:http';

const { TARGET, PORT = '9090', EVERY_MS = '50', WINDOW_MS = '500', LIMIT_MS = '1000' } = process.env;
const seen = [];

function ask() {
  let isOver = false;
  const over = (isGood) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    const at = performance.now();
    while (seen[0]?.at < at - Number(WINDOW_MS)) seen.shift();
    seen.push({ at, isGood });
  };
  const request = http.get(TARGET, { agent: false }, (response) => {
    response.resume();
    response.once('end', () => over(response.statusCode === 200));
    response.once('error', () => over(false));
  });
  request.on('error', () => over(false));
  const timer = setTimeout(() => {
    over(false);
    request.destroy();
  }, Number(LIMIT_MS));
}

function valueOf(query) {
  if (query !== 'failed_ratio' || seen.length === 0) return undefined;
  return seen.filter(({ isGood }) => !isGood).length / seen.length;
}

setInterval(ask, Number(EVERY_MS));
http
  .createServer(async (request, response) => {
    const url = new URL(request.url, 'http://metrics');
    if (url.pathname === '/healthz') return response.writeHead(seen.length > 0 ? 200 : 503).end();
    const body = Buffer.concat(await request.toArray()).toString();
    const value = valueOf(url.searchParams.get('query') ?? new URLSearchParams(body).get('query'));
    const result = value === undefined ? [] : [{ metric: {}, value: [Date.now() / 1000, String(value)] }];
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  })
  .listen(Number(PORT));
