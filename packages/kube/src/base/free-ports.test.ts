import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePorts } from './free-ports.ts';

test('free ports differ, and are none that a machine gives to who asks for any', async () => {
  const ports = await freePorts(3);
  assert.equal(new Set(ports).size, 3);
  for (const port of ports) assert.ok(port >= 20_000 && port < 30_000, String(port));
});

test('a port that is taken is passed over', async (t) => {
  const [taken = 0] = await freePorts(1);
  const server = createServer().listen(taken);
  await once(server, 'listening');
  t.after(() => server.close());
  const fractions = [(taken - 20_000) / 10_000, 0.5, 0.25];
  const ports = await freePorts(1, () => fractions.shift() ?? Math.random());
  assert.notEqual(ports[0], taken);
});
