/** Uses a processor as far as it gets it, until its standard input ends or its starter is gone. */
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
const BURST_MS = 20;
function burn() {
  for (const until = performance.now() + BURST_MS; performance.now() < until; );
  setImmediate(burn);
}
burn();
