/**
 * The outside observer: `observer.mjs URL EVERY_MS LIMIT_MS` asks on a connection of its own at a fixed rate, whether earlier questions are
 * answered or not, and prints one line `startedAt tookMs outcome` for each (times of the wall clock in ms, the outcome is a status or the
 * code of an error). It knows nothing of Turnsole. It ends with its standard input.
 */
import http from 'node:http';

const [url, everyMs, limitMs] = process.argv.slice(2);

function ask() {
  const startedAt = performance.timeOrigin + performance.now();
  let isOver = false;
  const over = (outcome) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    const tookMs = performance.timeOrigin + performance.now() - startedAt;
    process.stdout.write(`${startedAt.toFixed(1)} ${tookMs.toFixed(1)} ${outcome}\n`);
  };
  const request = http.get(url, { agent: false }, (response) => {
    response.resume();
    response.once('end', () => over(response.statusCode));
    response.once('error', (error) => over(error.code ?? 'error'));
  });
  request.on('error', (error) => over(error.code ?? 'error'));
  const timer = setTimeout(() => {
    over('timeout');
    request.destroy();
  }, Number(limitMs));
}

const beat = setInterval(ask, Number(everyMs));
process.stdin.resume();
process.stdin.once('end', () => {
  clearInterval(beat);
  // What is under way is printed before the end.
  setTimeout(() => process.exit(0), Number(limitMs)).unref();
});
