import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCloudWatch } from './settings.ts';

const ON = { AWS_CLOUDWATCH_METRIC_NAMESPACE: 'chaos', CLUSTER_NAME: 'blue', APP_NAME: 'chaos-monitor' };
const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const REGION = { AWS_REGION: 'eu-west-1' };

test('CloudWatch: off unless all three variables of upstream are set', () => {
  for (const name of Object.keys(ON)) {
    assert.equal(readCloudWatch({ ...ON, ...KEYS, ...REGION, [name]: ' ' }), undefined, name);
  }
});

test('CloudWatch: addresses follow the region, or what stands in the environment', () => {
  const read = (env: Record<string, string>): string[] => {
    const { endpoint = '', tokenEndpoint = '' } = readCloudWatch({ ...ON, ...KEYS, ...env }) ?? {};
    return [endpoint, tokenEndpoint];
  };
  assert.deepEqual(read(REGION), [
    'https://monitoring.eu-west-1.amazonaws.com/',
    'https://sts.eu-west-1.amazonaws.com/',
  ]);
  assert.deepEqual(read({ AWS_DEFAULT_REGION: 'cn-north-1' }), [
    'https://monitoring.cn-north-1.amazonaws.com.cn/',
    'https://sts.cn-north-1.amazonaws.com.cn/',
  ]);
  const own = { ...REGION, AWS_ENDPOINT_URL: 'http://all/', AWS_ENDPOINT_URL_CLOUDWATCH: 'http://one/' };
  assert.deepEqual(read(own), ['http://one/', 'http://all/']);
});

const SOURCES: readonly (readonly [name: string, env: Record<string, string>, expected: object])[] = [
  [
    'keys',
    KEYS,
    { kind: 'keys', keys: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: undefined } },
  ],
  [
    'a role of the service account',
    {
      AWS_ROLE_ARN: 'arn',
      AWS_WEB_IDENTITY_TOKEN_FILE: '/token',
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://agent/',
    },
    { kind: 'webIdentity', roleArn: 'arn', tokenFile: '/token', sessionName: 'turnsole-exporter' },
  ],
  [
    'an agent of the node',
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://agent/', AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/token' },
    { kind: 'agent', url: 'http://agent/', token: '', tokenFile: '/token' },
  ],
];

for (const [name, env, expected] of SOURCES) {
  test(`CloudWatch: keys come from ${name}`, () => {
    assert.deepEqual(readCloudWatch({ ...ON, ...REGION, ...env })?.keySource, expected);
  });
}

const REFUSED: readonly (readonly [name: string, env: Record<string, string>, why: RegExp])[] = [
  ['no region', KEYS, /AWS_REGION is lacking/],
  ['no keys', REGION, /AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are lacking/],
  ['half of a key', { ...REGION, AWS_ACCESS_KEY_ID: 'id' }, /are lacking/],
  [
    'an address that is none',
    { ...KEYS, ...REGION, AWS_ENDPOINT_URL: 'here' },
    /AWS_ENDPOINT_URL: "here" must be/,
  ],
  ['one engine', { ...KEYS, ...REGION, CHAOSENGINE: 'web' }, /leave out CHAOSENGINE/],
];

for (const [name, env, why] of REFUSED) {
  test(`CloudWatch: ${name} is refused by name`, () => {
    assert.throws(() => readCloudWatch({ ...ON, ...env }), why);
  });
}
