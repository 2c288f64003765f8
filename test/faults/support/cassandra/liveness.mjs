/** Uses Cassandra all the time: gives up after LIVENESS_RETRY_COUNT failures in a row, is complete after three successes. */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ping } from '../ping.mjs';

const { CASSANDRA_SVC_NAME, CASSANDRA_PORT, LIVENESS_RETRY_COUNT, STAND_IN_PAUSE_MS = '100' } = process.env;
const say = (state) => writeFileSync('/var/tmp/state', state);
say('CycleRunning');
for (let good = 0, bad = 0; bad < Number(LIVENESS_RETRY_COUNT); await delay(Number(STAND_IN_PAUSE_MS))) {
  if (await ping(CASSANDRA_SVC_NAME, Number(CASSANDRA_PORT), 5000)) {
    good += 1;
    bad = 0;
  } else {
    bad += 1;
    console.log(`no answer from ${CASSANDRA_SVC_NAME}`);
  }
  if (good === 3) say('CycleComplete');
}
process.exit(1);
