import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rolesFor, whoMay } from './may.ts';

test('the page goes by the table of the server', () => {
  assert.deepEqual(rolesFor('deleteInfra'), ['Owner']);
  assert.deepEqual(rolesFor('haltChaos'), ['Owner', 'Executor']);
  assert.deepEqual(rolesFor('listExperiment'), ['Owner', 'Executor', 'Viewer']);
  assert.deepEqual(rolesFor('haltCluster'), [], 'no role of a project lets somebody halt a cluster');
  assert.equal(whoMay('haltChaos'), 'An Owner or Executor');
});
