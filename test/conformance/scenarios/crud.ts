/** The everyday life of an object of each served kind: create, read, list, replace, patch, delete. */
import { CLUSTER_SAMPLES, SAMPLES, type Sample } from '../harness/samples.ts';
import type { Scenario, Theme } from '../harness/scenario.ts';
import { get, patch, post, put, remove } from '../harness/steps.ts';

function scenarioOf(sample: Sample): Scenario {
  const { name, at, object, change, ignore = [], ignorePut = [], ignoreDelete = [] } = sample;
  const id = `crud-${name}`;
  const metadata = { name: id, labels: { crud: name }, annotations: { purpose: 'conformance' } };
  const details = { ignore };
  return {
    name: id,
    steps: [
      post(at, { ...object, metadata }, { ...details, capture: { version: '/metadata/resourceVersion' } }),
      post(at, { ...object, metadata }),
      get(`${at}/${id}`, details),
      get(`${at}?labelSelector=crud%3D${name}`, details),
      patch('merge', `${at}/${id}`, change, details),
      put(
        `${at}/${id}`,
        { ...object, metadata: { ...metadata, resourceVersion: '{version}' } },
        { ignore: ignorePut },
      ),
      // The default propagation of the recorded server's earlier version of CronJob is another one.
      remove(`${at}/${id}?gracePeriodSeconds=0&propagationPolicy=Background`, undefined, {
        ignore: [...ignore, ...ignoreDelete],
      }),
      get(`${at}/${id}`),
    ],
  };
}

export const CRUD: Theme = {
  theme: 'crud',
  scenarios: [...SAMPLES, ...CLUSTER_SAMPLES].map(scenarioOf),
};
