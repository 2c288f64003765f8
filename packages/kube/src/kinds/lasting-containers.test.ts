import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastingContainers, lastingStatuses } from './lasting-containers.ts';

const status = (name: string) => ({ name, image: '', imageID: '', ready: true, restartCount: 0 });

test('lasting containers: those of the pod and its sidecars, not what runs before them', () => {
  const pod = {
    spec: {
      initContainers: [{ name: 'prepare' }, { name: 'proxy', restartPolicy: 'Always' }],
      containers: [{ name: 'web' }, { name: 'log' }],
    },
    status: {
      containerStatuses: [status('web')],
      initContainerStatuses: [status('prepare'), status('proxy')],
    },
  };
  assert.deepEqual(
    lastingContainers(pod.spec).map(({ name }) => name),
    ['web', 'log', 'proxy'],
  );
  assert.deepEqual(
    lastingStatuses(pod).map(({ name }) => name),
    ['web', 'proxy'],
  );
  assert.deepEqual(lastingContainers(undefined), []);
  assert.deepEqual(lastingStatuses({}), []);
});
