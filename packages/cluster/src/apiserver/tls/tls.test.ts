import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as der from '@turnsole/kube/tls/der';
import { loadServerTls, makeServerTls, serverNames } from './authority.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('DER', () => {
  for (const [name, found, expected] of [
    ['short length', der.utf8String('ab'), '0c026162'],
    ['long length', der.octetString(Buffer.alloc(200)).subarray(0, 3), '0481c8'],
    ['two length bytes', der.octetString(Buffer.alloc(300)).subarray(0, 4), '0482012c'],
    ['integer with a leading one bit', der.unsignedInteger(Buffer.from([0x80])), '02020080'],
    ['integer with needless zeros', der.unsignedInteger(Buffer.from([0, 0, 5])), '020105'],
    ['zero', der.smallInteger(0), '020100'],
    [
      'object identifier with a large arc',
      der.objectIdentifier('1.2.840.10045.4.3.2'),
      '06082a8648ce3d040302',
    ],
    ['time before 2050', der.time(Date.parse('2049-12-31T23:59:59Z')), '170d3439313233313233353935395a'],
    ['time after 2050', der.time(Date.parse('2050-01-01T00:00:00Z')), '180f32303530303130313030303030305a'],
  ] as const) {
    it(`writes ${name}`, () => assert.equal(found.toString('hex'), expected));
  }
});

describe('server certificates', () => {
  const tls = makeServerTls(NOW, ['10.96.0.1']);
  const authority = new X509Certificate(tls.authority);
  const certificate = new X509Certificate(tls.certificate);

  it('are signed by an authority that signs itself', () => {
    assert.ok(authority.ca);
    assert.ok(!certificate.ca);
    assert.ok(authority.verify(authority.publicKey));
    assert.ok(certificate.verify(authority.publicKey));
    assert.ok(certificate.checkIssued(authority));
  });

  for (const name of [...serverNames(['10.96.0.1'])]) {
    it(`are good for ${name}`, () => {
      const found =
        name.includes(':') || /^[\d.]+$/.test(name) ? certificate.checkIP(name) : certificate.checkHost(name);
      assert.equal(found, name);
    });
  }

  it('are not good for other names', () => {
    assert.equal(certificate.checkHost('example.com'), undefined);
    assert.equal(certificate.checkIP('10.96.0.2'), undefined);
  });

  it('begin a day earlier, for clocks that lag or are set back, and last for years', () => {
    assert.equal(Date.parse(certificate.validFrom), NOW - 25 * 60 * 60 * 1000);
    assert.equal(Date.parse(certificate.validTo), NOW + 3650 * 24 * 60 * 60 * 1000);
  });

  it('pass openssl verify', { skip: !hasOpenssl }, () => {
    const dir = mkdtempSync(join(tmpdir(), 'turnsole-tls-'));
    try {
      loadServerTls(dir, Date.now());
      const verified = execFileSync('openssl', [
        'verify',
        '-x509_strict',
        '-CAfile',
        join(dir, 'ca.crt'),
        join(dir, 'apiserver.crt'),
      ]);
      assert.match(verified.toString(), /OK/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('carry a TLS connection that verifies them', async () => {
    const fresh = makeServerTls(Date.now());
    const server = createServer({ cert: fresh.certificate, key: fresh.key }, (_request, response) =>
      response.end('ok'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const status = await new Promise((resolve, reject) => {
      get(`https://127.0.0.1:${address.port}/`, { ca: fresh.authority, agent: false }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      }).on('error', reject);
    });
    assert.equal(status, 200);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the data directory', () => {
  it('keeps certificates over a restart and renews them near their end', () => {
    const dir = mkdtempSync(join(tmpdir(), 'turnsole-tls-'));
    try {
      const first = loadServerTls(dir, NOW, ['10.96.0.1']);
      assert.equal(loadServerTls(dir, NOW + 1000, ['10.96.0.1']).certificate, first.certificate);
      assert.notEqual(loadServerTls(dir, NOW + 1000, ['10.97.0.1']).certificate, first.certificate);
      const second = readFileSync(join(dir, 'apiserver.crt'), 'utf8');
      assert.notEqual(
        loadServerTls(dir, NOW + 3640 * 24 * 60 * 60 * 1000, ['10.97.0.1']).certificate,
        second,
      );
      assert.equal(statSync(join(dir, 'apiserver.key')).mode & 0o777, 0o600);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
