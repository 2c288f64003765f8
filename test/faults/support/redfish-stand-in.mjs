/**
 * A machine's controller that speaks Redfish over TLS (CERTIFICATE, KEY) at PORT, for LOGIN (user:password): one system, which a
 * restart takes away for a moment, or with STAYS_OFF until it is switched on. `/state` says to anybody which resets it was sent, and its power.
 */
import { createServer } from 'node:https';

const { CERTIFICATE, KEY, LOGIN, STAYS_OFF, PORT } = process.env;
const SYSTEM = '/redfish/v1/Systems/System.Embedded.1';
const resets = [];
let power = process.env.POWER ?? 'On';

function reset(type) {
  resets.push(type);
  power = type === 'On' ? 'On' : STAYS_OFF === 'true' ? 'Off' : 'PoweringOn';
  if (power === 'PoweringOn') setTimeout(() => (power = 'On'), 1000);
  return [204, undefined];
}

async function answer(request) {
  const { method, url, headers } = request;
  if (url === '/state') return [200, { resets, power }];
  if (headers.authorization !== `Basic ${Buffer.from(LOGIN).toString('base64')}`) {
    return [401, { error: { message: 'login needed' } }];
  }
  if (method === 'POST' && url === `${SYSTEM}/Actions/ComputerSystem.Reset`) {
    return reset(JSON.parse(Buffer.concat(await request.toArray()).toString()).ResetType);
  }
  if (url.replace(/\/$/, '') === SYSTEM) return [200, { Id: 'System.Embedded.1', PowerState: power }];
  return [404, { error: { message: 'no such resource' } }];
}

createServer({ cert: CERTIFICATE, key: KEY }, async (request, response) => {
  const [status, body] = await answer(request);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}).listen(Number(PORT));
