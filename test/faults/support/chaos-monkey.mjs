/**
 * An application with a Chaos Monkey for Spring Boot, as far as a client can tell: `/call` is a call of its rest controller, the
 * rest is the actuator endpoint of release 3 with its rules (CM_REFUSES adds one: no exceptions). `/attacks` tells which runtime assaults have begun. Prints its port.
 */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const BASE = process.env.CM_PATH ?? '/actuator/chaosmonkey';
const monkey = { enabled: process.env.CM_ENABLED === 'true' };
const assaults = {
  level: 5,
  deterministic: false,
  latencyRangeStart: 1000,
  latencyRangeEnd: 3000,
  latencyActive: false,
  exceptionsActive: false,
  exception: { type: null, arguments: null },
  killApplicationActive: false,
  killApplicationCronExpression: 'OFF',
  memoryActive: false,
  memoryMillisecondsHoldFilledMemory: 90000,
  memoryMillisecondsWaitNextIncrease: 1000,
  memoryFillIncrementFraction: 0.15,
  memoryFillTargetFraction: 0.25,
  memoryCronExpression: 'OFF',
  cpuActive: false,
  cpuMillisecondsHoldLoad: 90000,
  cpuLoadTargetFraction: 0.9,
  cpuCronExpression: 'OFF',
  watchedCustomServices: null,
};
const watchers = {
  controller: false,
  restController: false,
  service: process.env.CM_SERVICE !== 'false',
  repository: false,
  component: false,
  restTemplate: false,
  webClient: false,
  actuatorHealth: false,
  beans: [],
};
const attacks = [];
let calls = 0;

const RULES = [
  ['everything', (body) => process.env.CM_REFUSES !== 'true' || body.exceptionsActive !== true],
  ['level', (body) => body.level === undefined || (body.level >= 1 && body.level <= 10000)],
  [
    'latencyRangeStart',
    (body) => (body.latencyRangeStart ?? 0) <= (body.latencyRangeEnd ?? Number.MAX_SAFE_INTEGER),
  ],
  ['memoryFillTargetFraction', (body) => (body.memoryFillTargetFraction ?? 0.5) <= 0.95],
  ['cpuLoadTargetFraction', (body) => (body.cpuLoadTargetFraction ?? 0.5) >= 0.1],
  ['exception', (body) => (body.exception?.type ?? 'java.').startsWith('java.')],
];

async function answer(method, path, body) {
  if (path === '/call') return call();
  if (path === '/attacks') return [200, attacks];
  if (!path.startsWith(BASE)) return [404, 'no such page'];
  switch (`${method} ${path.slice(BASE.length)}`) {
    case 'GET ':
      return [
        200,
        { chaosMonkeyProperties: monkey, assaultProperties: assaults, watcherProperties: watchers },
      ];
    case 'POST /enable':
      monkey.enabled = true;
      return [200, 'Chaos Monkey is enabled'];
    case 'POST /disable':
      monkey.enabled = false;
      return [200, 'Chaos Monkey is disabled'];
    case 'POST /watchers':
      return [200, update(watchers, body)];
    case 'POST /assaults': {
      const broken = RULES.find(([, holds]) => !holds(body));
      return broken === undefined ? [200, update(assaults, body)] : [400, `${broken[0]} is not valid`];
    }
    case 'POST /assaults/runtime/attack':
      return [200, attack()];
    default:
      return [404, 'no such operation'];
  }
}

/** Members that are null, and those it does not know, change nothing. */
function update(properties, body) {
  for (const [key, value] of Object.entries(body)) {
    if (key in properties && value !== null) properties[key] = value;
  }
  return 'config has changed';
}

function attack() {
  if (!monkey.enabled) return 'nothing to do';
  const { memoryActive, memoryFillTargetFraction, cpuActive, cpuLoadTargetFraction } = assaults;
  if (memoryActive) attacks.push(`memory ${memoryFillTargetFraction}`);
  if (cpuActive) attacks.push(`cpu ${cpuLoadTargetFraction}`);
  if (assaults.killApplicationActive) setTimeout(() => process.exit(0), 20);
  return 'Started runtime assaults';
}

async function call() {
  calls += 1;
  if (!monkey.enabled || !watchers.restController || calls % assaults.level !== 0) return [200, 'hello'];
  if (assaults.latencyActive) await delay(assaults.latencyRangeStart);
  if (!assaults.exceptionsActive) return [200, 'hello'];
  const { type, arguments: words } = assaults.exception;
  return [500, `${type ?? 'java.lang.RuntimeException'}: ${(words ?? []).map(({ value }) => value).join()}`];
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  const [status, body] = await answer(
    request.method,
    request.url,
    JSON.parse(Buffer.concat(chunks).toString() || '{}'),
  );
  response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
});
server.listen(Number(process.env.PORT ?? 0), () => console.log(server.address().port));
