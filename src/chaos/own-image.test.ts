import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUpstreamImage, ownImageOf, replaceUpstreamImage } from './own-image.ts';

const IMAGES: readonly [string, boolean][] = [
  ['litmuschaos/go-runner', true],
  ['litmuschaos/go-runner:latest', true],
  ['litmuschaos.docker.scarf.sh/litmuschaos/go-runner:3.20.0', true],
  ['mirror.example:5000/hub/litmuschaos/go-runner@sha256:0123', true],
  ['litmuschaos/chaos-runner:3.20.0', true],
  ['litmuschaos/chaos-exporter:3.20.0', true],
  ['litmuschaos/go-runner-of-mine:1', false],
  ['example/my-litmuschaos/go-runner:1', false],
  ['example/go-runner:1', false],
  ['litmuschaos/chaos-operator:ci', false],
  ['', false],
];

for (const [image, expected] of IMAGES) {
  test(`${image === '' ? 'no image' : image} is ${expected ? '' : 'not '}one of upstream's`, () => {
    assert.equal(isUpstreamImage(image), expected);
  });
}

test('upstream images are replaced with our pull policy, others are left alone', () => {
  const chart = { image: 'litmuschaos/go-runner:latest', pullPolicy: 'Always' };
  const other = { image: 'example/mine:1', pullPolicy: 'Always' };
  assert.deepEqual(replaceUpstreamImage(chart, { name: 'example/turnsole:1' }), {
    image: 'example/turnsole:1',
    pullPolicy: 'IfNotPresent',
  });
  assert.deepEqual(replaceUpstreamImage(chart, { name: 'example/turnsole:1', pullPolicy: 'Never' }), {
    image: 'example/turnsole:1',
    pullPolicy: 'Never',
  });
  assert.deepEqual(replaceUpstreamImage(other, { name: 'example/turnsole:1' }), other);
  assert.deepEqual(replaceUpstreamImage(chart, undefined), chart);
});

test('no image is known without the variable', () => {
  assert.equal(ownImageOf({ TURNSOLE_IMAGE: ' ', TURNSOLE_IMAGE_PULL_POLICY: 'Never' }), undefined);
  assert.deepEqual(ownImageOf({ TURNSOLE_IMAGE: 'a/b:1', TURNSOLE_IMAGE_PULL_POLICY: 'Never' }), {
    name: 'a/b:1',
    pullPolicy: 'Never',
  });
});
