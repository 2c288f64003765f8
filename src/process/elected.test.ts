import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { silentLogger } from '@turnsole/kube/base/log';
import { openServers } from './elected.ts';
import { startHealthServer } from './http/health.ts';

test('no server stays open when one of them cannot be opened', async () => {
  const host = '127.0.0.1';
  const taken = await startHealthServer({ port: 0, host });
  const [port = 0] = await freePorts(1);
  const metricsAddress = { port, host };
  const addresses = { metricsAddress, healthAddress: { port: taken.port, host } };
  await assert.rejects(openServers(addresses, {}, ['informers', () => {}], silentLogger), {
    message: new RegExp(`cannot serve health checks on port ${taken.port}: it is in use`),
  });
  await taken.close();
  const again = await openServers(addresses, {}, ['informers', () => {}], silentLogger);
  await again.close();
});
