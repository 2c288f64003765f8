import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asJson, asObjects, type Json, valueAt } from './object.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const COUNT = 1_500;

function nameOf(index: number): string {
  return `map-${String(index).padStart(5, '0')}`;
}

async function fill(server: TestServer, count = COUNT): Promise<void> {
  // In no order: the server has to sort.
  const indices = Array.from({ length: count }, (_, index) => (index * 7919) % count);
  for (const index of indices) {
    const body = { metadata: { name: nameOf(index) }, data: { text: 'x'.repeat(400) } };
    assert.equal((await server.call('POST', CONFIG_MAPS, { body })).status, 201);
  }
}

function names(list: Json): string[] {
  return asObjects(list.items).map((item) => String(asJson(item.metadata).name));
}

const ALL = Array.from({ length: COUNT }, (_, index) => nameOf(index));

describe('long lists', () => {
  it('are sent in pieces and hold every object once, in order', async (t) => {
    const server = await startTestServer(t, { listen: true });
    await fill(server);
    const { status, headers, body } = await server.overHttps('GET', CONFIG_MAPS);
    assert.deepEqual([status, headers['transfer-encoding'], body.kind], [200, 'chunked', 'ConfigMapList']);
    assert.deepEqual(names(body), ALL);
    const [first] = asObjects(body.items);
    assert.deepEqual([first?.kind, valueAt(first, 'data', 'text')], [undefined, 'x'.repeat(400)]);
    assert.equal(valueAt(body, 'metadata', 'resourceVersion'), String(server.api.store.revision));
  });

  it('are sent in pieces as Tables and as metadata too', async (t) => {
    const server = await startTestServer(t, { listen: true });
    await fill(server);
    const ask = async (as: string): Promise<Json> => {
      const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`;
      return (await server.overHttps('GET', CONFIG_MAPS, { headers: { accept } })).body;
    };
    const table = await ask('Table');
    assert.deepEqual(
      asObjects(table.rows).map(({ cells }) => (Array.isArray(cells) ? cells[0] : undefined)),
      ALL,
    );
    const metadata = await ask('PartialObjectMetadataList');
    assert.deepEqual([metadata.kind, names(metadata)], ['PartialObjectMetadataList', ALL]);
  });

  it('are YAML for who asks for it', async (t) => {
    const server = await startTestServer(t);
    await fill(server, 1_001);
    const { body } = await server.call('GET', CONFIG_MAPS, { headers: { accept: 'application/yaml' } });
    assert.equal(String(body.text).match(/name: map-/g)?.length, 1_001);
  });

  it('end where the reader goes', async (t) => {
    const server = await startTestServer(t);
    await fill(server);
    const reply = await server.api.handle({
      method: 'GET',
      url: CONFIG_MAPS,
      headers: { authorization: `Bearer ${server.api.adminToken}` },
      body: Buffer.alloc(0),
    });
    const aborted = await new Promise<number>((resolve) => {
      let written = 0;
      let close = (): void => undefined;
      reply.stream?.({
        write: (bytes) => {
          written += bytes.length;
        },
        pendingBytes: 0,
        // Gone with the first piece; no client would get later ones.
        drained: async () => {
          close();
          setImmediate(() => resolve(written));
        },
        end: () => assert.fail('it was not sent to its end'),
        abort: () => undefined,
        onClose: (listener) => {
          close = listener;
        },
      });
    });
    assert.ok(aborted < 400 * COUNT, `${aborted} bytes`);
  });

  it('in pages stay at their revision while objects come and go', async (t) => {
    const server = await startTestServer(t);
    await fill(server);
    const found: string[] = [];
    let token = '';
    do {
      const { body } = await server.call('GET', `${CONFIG_MAPS}?limit=100&continue=${token}`);
      found.push(...names(body));
      const { length } = found;
      token = String(valueAt(body, 'metadata', 'continue') ?? '');
      if (token !== '') assert.equal(valueAt(body, 'metadata', 'remainingItemCount'), COUNT - length);
      // Before and behind the page; the one that goes comes again under its name.
      await server.call('DELETE', `${CONFIG_MAPS}/${nameOf((length * 31) % COUNT)}`);
      await server.call('DELETE', `${CONFIG_MAPS}/${nameOf(length)}`);
      await server.call('POST', CONFIG_MAPS, { body: { metadata: { name: `${nameOf(length)}-new` } } });
      await server.call('POST', CONFIG_MAPS, { body: { metadata: { name: nameOf(length) } } });
    } while (token !== '');
    assert.deepEqual(found, ALL);
  });
});

describe('the deletion of a long collection', () => {
  it('removes what was there', async (t) => {
    const server = await startTestServer(t);
    await fill(server);
    const { status } = await server.call('DELETE', CONFIG_MAPS);
    assert.equal(status, 200);
    assert.equal(server.api.store.count('configmaps'), 0);
  });
});
