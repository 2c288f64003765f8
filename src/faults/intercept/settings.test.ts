import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { describeTunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import { faultRegistry } from '../index.ts';

async function problemsOf(name: string, env: Record<string, string>): Promise<string[]> {
  const fault = await faultRegistry.get(name)?.();
  assert.ok(fault);
  return compileSettings(fault, env, Math.random).problems.map(describeTunableProblem);
}

async function parametersOf(name: string, env: Record<string, string>, random = 0): Promise<unknown> {
  const fault = await faultRegistry.get(name)?.();
  assert.ok(fault);
  const { settings, problems } = compileSettings(fault, env, Math.random);
  assert.deepEqual(problems, []);
  const target = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'u', container: 'app', node: 'n' };
  const observed = { uid: 'u', hostNetwork: false, containerId: 'containerd://abcdef' };
  const [injection] = fault.plan({
    tunables: settings.tunables,
    targets: [{ ...target, observed }],
    round: 0,
    random: () => random,
  });
  assert.ok(injection);
  return (injection.parameters.service as { fault?: unknown }).fault;
}

test('settings that cannot be used are refused by name', async () => {
  const rows: [fault: string, env: Record<string, string>, expected: RegExp][] = [
    ['pod-http-latency', { LATENCY: '-1' }, /^LATENCY is "-1"/],
    ['pod-http-latency', { TARGET_SERVICE_PORT: '0' }, /^TARGET_SERVICE_PORT is "0"/],
    ['pod-http-latency', { TOXICITY: '101' }, /^TOXICITY is "101"/],
    ['pod-http-latency', { NETWORK_INTERFACE: 'eth0"; x' }, /^NETWORK_INTERFACE is /],
    ['pod-http-reset-peer', { PROXY_PORT: '80' }, /^PROXY_PORT is "80"; expected another port/],
    ['pod-http-status-code', { STATUS_CODE: '99' }, /^STATUS_CODE is "99"; .* a status from 200 to 599/],
    ['pod-http-modify-header', { HEADERS_MAP: '{"a b":"1"}' }, /^HEADERS_MAP is "a b: 1"/],
    ['pod-http-modify-header', { HEADERS_MAP: '{"a":"1\\r\\nb: 2"}' }, /^HEADERS_MAP is /],
    ['pod-http-modify-header', { HEADERS_MAP: '{"Content-Length":"1"}' }, /^HEADERS_MAP is /],
    ['pod-http-modify-header', { HEADER_MODE: 'both' }, /^HEADER_MODE is "both"/],
    ['pod-http-modify-body', { CONTENT_ENCODING: 'zip' }, /^CONTENT_ENCODING is "zip"/],
    ['pod-dns-error', { TARGET_HOSTNAMES: '["a' }, /^TARGET_HOSTNAMES is /],
    ['pod-dns-error', { MATCH_SCHEME: 'regex' }, /^MATCH_SCHEME is "regex"/],
    ['pod-dns-spoof', { SPOOF_MAP: '{"a":"not a name"}' }, /^SPOOF_MAP is "a → not a name"/],
  ];
  for (const [fault, env, expected] of rows) {
    const problems = await problemsOf(fault, env);
    assert.equal(problems.length, 1, `${fault} ${JSON.stringify(env)}: ${problems.join('; ')}`);
    assert.match(problems[0] ?? '', expected);
  }
});

test('settings become what the interceptor does', async () => {
  const body = { contentType: 'text/plain', contentEncoding: '' };
  const rows: [fault: string, env: Record<string, string>, expected: unknown][] = [
    ['pod-http-latency', {}, { kind: 'latency', latencyMs: 6000 }],
    ['pod-http-latency', { LATENCY: '250' }, { kind: 'latency', latencyMs: 250 }],
    ['pod-http-reset-peer', {}, { kind: 'reset', timeoutMs: 0 }],
    ['pod-http-status-code', {}, { kind: 'status', status: 200, body }],
    ['pod-http-status-code', { STATUS_CODE: '503' }, { kind: 'status', status: 503, body }],
    [
      'pod-http-status-code',
      { STATUS_CODE: '500,503', MODIFY_RESPONSE_BODY: 'false' },
      { kind: 'status', status: 500, body: null },
    ],
    ['pod-http-modify-body', {}, { kind: 'none' }],
    ['pod-http-modify-body', { RESPONSE_BODY: 'x' }, { kind: 'body', body: { ...body, text: 'x' } }],
    [
      'pod-http-modify-header',
      { HEADERS_MAP: '{"X":"1"}' },
      { kind: 'header', direction: 'response', headers: { X: '1' } },
    ],
  ];
  for (const [fault, env, expected] of rows)
    assert.deepEqual(await parametersOf(fault, env), expected, fault);
});
