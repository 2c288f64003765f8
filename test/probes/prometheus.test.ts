/** promProbes that ask a real Prometheus. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeServerTls } from '@turnsole/cluster/apiserver/tls/authority';
import type { PromProbeInputs } from '../../src/api/schema/probe.ts';
import { createPromProbe } from '../../src/experiment/probes/prom-probe.ts';
import { measureContext, promProbe } from '../../src/experiment/probes/testing/builders.ts';
import { type Metrics, prometheusMissing, startPrometheus } from './support/prometheus.ts';

/** Outcome and what was said, as one text. */
async function ask(endpoint: string, inputs: Partial<PromProbeInputs>, podRoot = ''): Promise<string> {
  const context = measureContext({ env: { TURNSOLE_POD_ROOT: podRoot } });
  try {
    const measured = await createPromProbe().measure(promProbe(endpoint, inputs), context);
    return measured.outcome === 'passed'
      ? `passed: ${measured.description}`
      : `${measured.code}: ${measured.reason}`;
  } catch (error) {
    return `thrown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const METRICS: Metrics = new Map<string, number | 'NaN' | '+Inf'>([
  ['requests{code="200",path="/a,b"}', 90],
  ['requests{code="500",path="/$HOME \\"q\\" `id`"}', 10],
  ['temperature', 36.6],
  ['nothing', 'NaN'],
  ['endless', '+Inf'],
]);

describe('a real Prometheus', { skip: prometheusMissing }, () => {
  test('queries and what they come to', async () => {
    await using server = await startPrometheus(METRICS);
    const spent = 'sum(requests{code="500"}) / sum(requests)';
    const table: readonly [query: string, criteria: string, value: string, expected: RegExp][] = [
      [
        'temperature',
        '==',
        '36.6',
        /^passed: Obtained the specified prometheus metrics. Actual value: 36\.6\. E/,
      ],
      [
        'temperature',
        '>',
        '37',
        /^PROM_PROBE_FAILURE: Actual value: 36\.6\. Expected value: greater than 37$/,
      ],
      ['temperature', 'between', '36, 37', /^passed/],
      ['temperature', 'oneOf', '36.5,36.6', /^passed/],
      [spent, '==', '0.1', /^passed/],
      [`# a comment\n${spent}\n  * 100`, '<=', '10', /^passed/],
      ['requests{path="/a,b"}', '==', '90', /^passed/],
      ['requests{path="/$HOME \\"q\\" `id`"}', '==', '10', /^passed/],
      ['scalar(temperature)', '==', '36.6', /^passed/],
      ['nothing', '>=', '0', /^PROM_PROBE_FAILURE: Actual value: NaN/],
      ['endless', '>', '1e308', /^passed/],
      ['requests', '>=', '1', /^PROM_PROBE_ERROR: query 'requests': gives 2 rows/],
      ['missing_metric', '>=', '1', /^PROM_PROBE_ERROR: query 'missing_metric': gives no row/],
      ['temperature[1m]', '>=', '1', /^PROM_PROBE_ERROR: .*gives a matrix/],
      ['"text"', '>=', '1', /^PROM_PROBE_ERROR: .*gives a string/],
      ['sum(', '>=', '1', /^PROM_PROBE_ERROR: query 'sum\(': status 400, bad_data: .*parse error/],
    ];
    for (const [query, criteria, value, expected] of table) {
      assert.match(await ask(server.endpoint, { query, comparator: { criteria, value } }), expected, query);
    }
    // Too long for a URL: sent as a form.
    const long = `temperature + 0 * (${Array.from({ length: 600 }, () => 'temperature').join(' + ')})`;
    const comparator = { criteria: '==', value: '36.6' };
    assert.match(await ask(server.endpoint, { query: long, comparator }), /^passed/);
    const folder = await mkdtemp(join(tmpdir(), 'turnsole-prom-'));
    try {
      await writeFile(join(folder, 'query'), 'sum(\n  requests\n)\n');
      const inputs = { query: '', queryPath: '/query', comparator: { criteria: '==', value: '100' } };
      assert.match(await ask(server.endpoint, inputs, folder), /^passed/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a password in the URL, authorities, certificates', async () => {
    const { authority, authorityKey, certificate, key } = makeServerTls(Date.now());
    const config = `
tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: VerifyClientCertIfGiven
  client_ca_file: ca.crt
basic_auth_users:
  # "test"
  admin: $2b$12$hNf2lSsxfm0.i4a.1kVpSOVyBCfIB51VRjgBUyv6kdnyTlgWj81Ay
`;
    const files = { 'server.crt': certificate, 'server.key': key, 'ca.crt': authority };
    await using server = await startPrometheus(METRICS, { config, files });
    const folder = await mkdtemp(join(tmpdir(), 'turnsole-prom-'));
    try {
      for (const [name, text] of Object.entries({ ca: authority, cert: authority, key: authorityKey })) {
        await writeFile(join(folder, name), text);
      }
      const withPassword = server.endpoint.replace('://', '://admin:test@');
      const caFile = '/ca';
      const table: readonly [string, string, PromProbeInputs['tlsConfig'], RegExp][] = [
        ['all right', withPassword, { caFile }, /^passed/],
        ['not verified', withPassword, { insecureSkipVerify: true }, /^passed/],
        ['certificate', withPassword, { caFile, certFile: '/cert', keyFile: '/key' }, /^passed/],
        ['no password', server.endpoint, { caFile }, /^PROM_PROBE_ERROR: .*status 401.*Unauthorized/],
        [
          'unknown authority',
          withPassword,
          {},
          /^thrown: .*insecureSkipVerify: true to accept the certificate$/,
        ],
        ['no file', withPassword, { caFile: '/no' }, /^thrown: cannot read tlsConfig.caFile/],
      ];
      for (const [name, endpoint, tlsConfig, expected] of table) {
        const inputs = { query: 'temperature', ...(tlsConfig === undefined ? {} : { tlsConfig }) };
        const said = await ask(endpoint, inputs, folder);
        assert.match(said, expected, name);
        assert.doesNotMatch(said, /admin:test/, 'no password in messages');
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
