/** Producer and consumer: whoever answers for the service takes and gives messages; the consumer ends when none came for too long. */
import { setTimeout as delay } from 'node:timers/promises';
import { ping } from '../ping.mjs';

const { KAFKA_SERVICE, KAFKA_PORT, KAFKA_CONSUMER_TIMEOUT } = process.env;
let last = Date.now();
for (;;) {
  const isThere = await ping(KAFKA_SERVICE, Number(KAFKA_PORT));
  if (isThere) last = Date.now();
  else if (process.argv[2] === 'consumer' && Date.now() - last > Number(KAFKA_CONSUMER_TIMEOUT)) {
    console.log(`no message for ${KAFKA_CONSUMER_TIMEOUT} ms`);
    process.exit(1);
  }
  await delay(50);
}
