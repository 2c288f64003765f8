import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportOf, startHealthServer } from './health.ts';

async function ask(port: number, path: string, method = 'GET'): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return `${response.status} ${await response.text()}`;
}

test('answers for each kind of check, lists them when asked, and names what failed', async () => {
  let isReady = false;
  const server = await startHealthServer({
    port: 0,
    host: '127.0.0.1',
    checks: [
      { name: 'alive', kind: 'healthz', check: () => {} },
      {
        name: 'informers',
        kind: 'readyz',
        check: async () => {
          if (!isReady) throw new Error('pods are not listed yet');
        },
      },
    ],
    pages: { '/metrics': async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }) },
  });
  try {
    assert.equal(await ask(server.port, '/healthz'), '200 ok\n');
    assert.equal(await ask(server.port, '/healthz?verbose'), '200 [+]alive ok\nhealthz check passed\n');
    assert.equal(
      await ask(server.port, '/readyz'),
      '503 [-]informers failed: pods are not listed yet\nreadyz check failed\n',
    );
    isReady = true;
    assert.equal(await ask(server.port, '/readyz/informers'), '200 ok\n');
    assert.equal(await ask(server.port, '/readyz/unknown'), '404 no such check\n');
    assert.equal(await ask(server.port, '/metrics'), '200 up 1\n');
    assert.equal(await ask(server.port, '/else'), '404 not found\n');
    assert.equal(await ask(server.port, '/healthz', 'POST'), '405 only GET is served\n');
  } finally {
    await server.close();
  }
});

test('a port in use is an error that names the port, and what was to be served there', async () => {
  const first = await startHealthServer({ port: 0, host: '127.0.0.1' });
  const at = { port: first.port, host: '127.0.0.1' };
  const pages = { '/metrics': async () => ({ contentType: 'text/plain', body: '' }) };
  const refused = async (options: Partial<Parameters<typeof startHealthServer>[0]>, what: string) =>
    assert.rejects(startHealthServer({ ...at, ...options }), {
      message: `cannot serve ${what} on port ${first.port}: it is in use; choose another one, or stop the program that uses it`,
    });
  try {
    await refused({}, 'health checks');
    await refused({ checks: [] }, 'health checks');
    await refused({ pages }, 'metrics');
    await refused({ pages, checks: [] }, 'metrics and health checks');
  } finally {
    await first.close();
  }
});

test('a report without checks is good news', () => {
  assert.deepEqual(reportOf('healthz', [], false), { code: 200, text: 'ok\n' });
});
