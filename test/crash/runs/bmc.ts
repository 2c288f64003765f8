/**
 * The controller of a machine, as far as a client of Redfish can tell. A machine that is restarted stays off for a while, unless somebody
 * switches it on: so it can be seen whether anybody does.
 */
import { createServer } from 'node:https';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { BMC_PORT } from './families.ts';

const OFF_MS = 15_000;
const SYSTEM = '/redfish/v1/Systems/System.Embedded.1';

const life = { organization: 'crash', now: Date.now(), lifetimeDays: 1 };
const { privateKey, certificate } = makeServerCertificate(makeAuthority({ commonName: 'bmc', ...life }), {
  commonName: 'bmc',
  names: ['bmc'],
  ...life,
});
let power = 'On';
let backOn: NodeJS.Timeout | undefined;

function reset(type: unknown): void {
  clearTimeout(backOn);
  power = type === 'ForceRestart' ? 'Off' : 'On';
  if (power === 'Off') {
    backOn = setTimeout(() => {
      power = 'On';
    }, OFF_MS);
  }
}

const tls = {
  key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  cert: toPem('CERTIFICATE', certificate),
};
createServer(tls, async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  if (!request.url?.startsWith(SYSTEM)) {
    response.writeHead(404).end();
    return;
  }
  // Written by the fault.
  if (request.method === 'POST') reset((JSON.parse(body) as { ResetType?: unknown }).ResetType);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ PowerState: power }));
}).listen(BMC_PORT);
