import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectOf, type Frame, NO_OFFERS, readFrame, subscribeFrame } from './frames.ts';

const EMPTY = { requestID: '', requestType: '', manifest: '', namespace: '', externalData: '', username: '' };

const TABLE: readonly (readonly [text: string, frame: Frame])[] = [
  ['{"type":"connection_ack"}', { type: 'ack', offers: NO_OFFERS }],
  [
    '{"type":"connection_ack","payload":{"turnsole":{"actionResults":true}}}',
    { type: 'ack', offers: { ...NO_OFFERS, actionResults: true } },
  ],
  ['{"type":"connection_ack","payload":[1]}', { type: 'ack', offers: NO_OFFERS }],
  ['{"type":"ka"}', { type: 'alive' }],
  ['{"type":"pong"}', { type: 'alive' }],
  ['{"type":"ping"}', { type: 'ping' }],
  ['{"type":"complete","id":"1"}', { type: 'complete' }],
  [
    '{"type":"data","payload":{"data":{"infraConnect":{"action":{"requestType":"get","username":null}}}}}',
    { type: 'action', action: { ...EMPTY, requestType: 'get' } },
  ],
  [
    '{"type":"next","id":"1","payload":{"data":{"infraConnect":{"action":{"requestID":7}}}}}',
    { type: 'action', action: EMPTY },
  ],
  [
    '{"type":"data","payload":{"errors":[{"message":"CLUSTER ALREADY CONNECTED","path":["infraConnect"]}],"data":null}}',
    { type: 'errors', messages: ['CLUSTER ALREADY CONNECTED'] },
  ],
  [
    '{"type":"error","payload":[{"message":"no"},{}]}',
    { type: 'errors', messages: ['no', 'an error without a message'] },
  ],
  ['{"type":"error","payload":{"message":"no"}}', { type: 'errors', messages: ['no'] }],
  ['{"type":"error"}', { type: 'errors', messages: ['an error without a message'] }],
  ['{"type":"connection_error","payload":{"message":"who?"}}', { type: 'errors', messages: ['who?'] }],
  ['{"type":"data","payload":{"data":null}}', { type: 'unreadable', why: 'a data message holds no action' }],
  ['{"type":"data"}', { type: 'unreadable', why: 'a data message has no payload' }],
  ['{"type":"dat', { type: 'unreadable', why: 'a message is no JSON object' }],
  ['', { type: 'unreadable', why: 'a message is no JSON object' }],
  ['null', { type: 'unreadable', why: 'a message is no JSON object' }],
  ['{"type":"__proto__"}', { type: 'unreadable', why: 'a message has the unknown type "__proto__"' }],
];

for (const [text, frame] of TABLE) {
  test(`reads ${text === '' ? 'nothing' : text}`, () => assert.deepEqual(readFrame(text), frame));
}

test('subscribes in the words of the dialect', () => {
  const operation = { query: 'q', variables: {} };
  assert.deepEqual(JSON.parse(subscribeFrame(dialectOf('graphql-transport-ws'), operation)), {
    id: '1',
    type: 'subscribe',
    payload: operation,
  });
  for (const protocol of ['graphql-ws', '']) {
    assert.deepEqual(JSON.parse(subscribeFrame(dialectOf(protocol), operation)), {
      id: '1',
      type: 'start',
      payload: operation,
    });
  }
});
