import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startTestServer } from '@turnsole/kube/testing/http-server';
import { allowedAddresses } from './addresses.ts';
import { downloadZip } from './download.ts';
import { remoteSettings } from './testing/remote-settings.ts';

const NEVER = new AbortController().signal;
const ZIP = { 'content-type': 'application/zip' };

describe('a zip file over HTTP', () => {
  it('is written as it is sent, also behind a redirect', async () => {
    await using server = await startTestServer(({ url }, response) => {
      if (url === '/old.zip') response.writeHead(302, { location: '/new.zip' }).end();
      else response.writeHead(200, ZIP).end('PK...');
    });
    await using settings = await remoteSettings();
    const path = join(settings.folder, 'x.zip');
    await downloadZip(`${server.url}/old.zip`, path, settings, NEVER);
    assert.equal(await readFile(path, 'utf8'), 'PK...');
  });

  const refused: readonly [
    what: string,
    head: [number, Record<string, string>],
    body: string,
    said: RegExp,
  ][] = [
    ['another type', [200, { 'content-type': 'text/html' }], 'x', /^err: Invalid file type text\/html$/],
    ['no type', [200, {}], 'x', /^err: Invalid file type $/],
    [
      'a declared size',
      [200, { ...ZIP, 'content-length': '2000' }],
      'x'.repeat(2000),
      /^err: File size exceeded the threshold 2000/,
    ],
    ['a size that was not declared', [200, ZIP], 'x'.repeat(2000), /^err: File size exceeded the threshold/],
    ['another status', [404, ZIP], '', /^the server answered with status 404$/],
    ['redirects without end', [302, { location: '/again' }], '', /redirects more than 5 times/],
    [
      'a redirect into the server’s network',
      [302, { location: 'http://169.254.169.254/x' }],
      '',
      /169\.254\.169\.254 is refused: the address is link-local/,
    ],
    [
      'a redirect to a file',
      [302, { location: 'file:///etc/passwd' }],
      '',
      /begins with https:\/\/ or http:\/\//,
    ],
  ];
  for (const [what, [status, headers], body, said] of refused) {
    it(`is refused for ${what}`, async () => {
      await using server = await startTestServer((_request, response) => {
        response.writeHead(status, headers);
        response.end(body);
      });
      await using settings = await remoteSettings({ mostBytes: 1000 });
      const download = downloadZip(server.url, join(settings.folder, 'x.zip'), settings, NEVER);
      await assert.rejects(download, { name: 'RemoteError', message: said });
    });
  }

  it('is not asked for in the server’s own network, or with credentials in the address', async () => {
    await using server = await startTestServer((_request, response) => response.writeHead(200, ZIP).end('x'));
    await using settings = await remoteSettings({}, '');
    for (const url of [
      server.url,
      server.url.replace('127.0.0.1', '0x7f.1'),
      server.url.replace('127.0.0.1', 'localhost'),
    ]) {
      await assert.rejects(
        downloadZip(url, join(settings.folder, 'x'), settings, NEVER),
        /is of this machine/,
        url,
      );
    }
    const withLogin = server.url.replace('//', '//me:secret@');
    await assert.rejects(
      downloadZip(withLogin, join(settings.folder, 'x'), settings, NEVER),
      (error: Error) => /credentials/.test(error.message) && !error.message.includes('secret'),
    );
    assert.deepEqual(server.seen, []);
  });

  it('comes from the address that was checked, whatever the name says', async () => {
    await using server = await startTestServer((_request, response) => response.writeHead(200, ZIP).end('x'));
    const reach = {
      allowed: allowedAddresses('127.0.0.1'),
      lookUp: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    };
    await using settings = await remoteSettings({ reach });
    const url = server.url.replace('127.0.0.1', 'hub.invalid');
    await downloadZip(url, join(settings.folder, 'x.zip'), settings, NEVER);
    assert.match(server.seen[0]?.headers.host ?? '', /^hub\.invalid:/);
  });

  it('is given up in time', async () => {
    await using server = await startTestServer((_request, response) => {
      response.writeHead(200, ZIP).write('x');
    });
    await using settings = await remoteSettings({ timeoutMs: 300 });
    const download = downloadZip(server.url, join(settings.folder, 'x.zip'), settings, NEVER);
    await assert.rejects(download, /did not send the file within 0.3 seconds/);
  });
});
