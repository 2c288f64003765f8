import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../../../src/controlplane/access/operations.ts';
import { auditWords, DID } from './audit.ts';

test('everything that is audited has words, and nothing else has', () => {
  const audited = [...GRAPHQL_OPERATIONS, ...REST_OPERATIONS].filter((one) => one.audited);
  assert.deepEqual(Object.keys(DID).toSorted(), audited.map(({ name }) => name).toSorted());
});

const LINES: readonly (readonly [line: Partial<Parameters<typeof auditWords>[0]>, says: string])[] = [
  [
    { operation: 'saveChaosExperiment', objectKind: 'experiment', after: '{"name":"checkout"}' },
    'created experiment checkout',
  ],
  [
    {
      operation: 'saveChaosExperiment',
      objectKind: 'experiment',
      before: '{"name":"a"}',
      after: '{"name":"b"}',
    },
    'changed experiment b',
  ],
  [
    { operation: 'deleteInfra', objectKind: 'infra', before: '{"name":"kind"}' },
    'removed infrastructure kind',
  ],
  [{ operation: 'POST /create_user', objectKind: 'user', after: '{"username":"nora"}' }, 'created user nora'],
  [
    { operation: 'createEnvironment', objectKind: 'environment', after: '{"name":1}' },
    'created environment x-1',
  ],
  [
    { operation: 'rotateInfraKey', objectKind: 'infra', before: 'no JSON' },
    'made a new key for infrastructure x-1',
  ],
  [
    {
      operation: 'stopExperimentRuns',
      objectKind: 'experiment',
      objectName: 'checkout',
      after: '{"stopped":1}',
    },
    'stopped experiment checkout',
  ],
  [
    { operation: 'POST /reset/password', objectKind: 'password', objectName: 'nora' },
    'set the password of user nora',
  ],
  [{ operation: 'haltChaos', objectKind: 'halt' }, 'halted all chaos of the project'],
  [{ operation: 'retryWebhookDelivery', objectKind: 'delivery' }, 'sent message x-1 again'],
  [{ operation: 'ofALaterVersion', objectKind: 'thing' }, 'ofALaterVersion thing x-1'],
];
for (const [line, says] of LINES) {
  test(`a line says: ${says}`, () => {
    const words = auditWords({
      operation: '',
      objectKind: '',
      objectID: 'x-1',
      objectName: '',
      before: null,
      after: null,
      ...line,
    });
    assert.equal(`${words.before}${words.name}${words.after}`, says);
  });
}
