/** `kafka-topics --describe` of a cluster whose brokers are BROKERS: broker 1 leads, or the first that is there. */
import { parseArgs } from 'node:util';
import { ping } from '../ping.mjs';

const { values } = parseArgs({
  options: {
    topic: { type: 'string' },
    describe: { type: 'boolean' },
    'bootstrap-server': { type: 'string' },
    zookeeper: { type: 'string' },
  },
});
if (values.zookeeper !== undefined) {
  console.error('zookeeper is not a recognized option');
  process.exit(1);
}
const [, port] = values['bootstrap-server'].split(':');
const brokers = ['kafka-0', 'kafka-1', 'kafka-2'].slice(0, Number(process.env.BROKERS ?? 3));
const alive = await Promise.all(brokers.map((name) => ping(`${name}.kafka`, Number(port))));
const leader = alive[1] === true ? 1 : alive.indexOf(true);
console.log(`Topic: ${values.topic}\tPartitionCount: 1\tReplicationFactor: ${brokers.length}\tConfigs:`);
console.log(
  `\tTopic: ${values.topic}\tPartition: 0\tLeader: ${leader < 0 ? 'none' : leader}\tReplicas: 1,0,2\tIsr: 1,0,2`,
);
