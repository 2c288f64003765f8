import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageNameText, parseImageName } from './image-name.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

const NAMES: readonly (readonly [given: string, whole: string])[] = [
  ['redis', 'docker.io/library/redis:latest'],
  ['redis:7', 'docker.io/library/redis:7'],
  ['grafana/k6', 'docker.io/grafana/k6:latest'],
  ['docker.io/redis', 'docker.io/library/redis:latest'],
  ['index.docker.io/library/redis', 'docker.io/library/redis:latest'],
  ['localhost/api:dev', 'localhost/api:dev'],
  ['localhost:5000/a/b:t', 'localhost:5000/a/b:t'],
  ['[::1]:5000/a', '[::1]:5000/a:latest'],
  ['r.example/a__b/c-d.e', 'r.example/a__b/c-d.e:latest'],
  [`redis@${DIGEST}`, `docker.io/library/redis@${DIGEST}`],
  [`r.example/shop:2@${DIGEST}`, `r.example/shop@${DIGEST}`],
];

for (const [given, whole] of NAMES) {
  test(`${given} is ${whole}`, () => {
    assert.equal(imageNameText(parseImageName(given)), whole);
    assert.equal(imageNameText(parseImageName(whole)), whole);
  });
}

const REFUSED: readonly (readonly [given: string, why: RegExp])[] = [
  ['', /expected \[host\/\]name/],
  ['Shop', /lower case/],
  ['a b', /expected \[host\/\]name/],
  ['/a', /expected \[host\/\]name/],
  ['a:', /"" is no tag/],
  [`a:${'t'.repeat(129)}`, /is no tag/],
  ['a@sha256:12', /"sha256:12" is no digest/],
  ['a@md5:0', /is no digest/],
  ['a/../b', /expected \[host\/\]name/],
  ['http://r.example/a', /is no host|expected/],
  [`r.example/${'a'.repeat(300)}`, /longer than 255/],
];

for (const [given, why] of REFUSED) {
  test(`${JSON.stringify(given).slice(0, 60)} is refused`, () => {
    assert.throws(() => parseImageName(given), { code: 'invalid-reference', message: why });
  });
}
