import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FlowControl } from './flow-control.ts';

const limits = { requests: 3, requestsPerUser: 2, bodyBytes: 100, bodyBytesPerUser: 60 };

describe('flow control', () => {
  it('bounds requests of a user and of all', () => {
    const flow = new FlowControl(limits);
    const first = flow.enter('a');
    assert.ok(first !== undefined && flow.enter('a') !== undefined);
    assert.equal(flow.enter('a'), undefined);
    assert.ok(flow.enter('b') !== undefined);
    assert.equal(flow.enter('c'), undefined);
    first.leave();
    first.leave();
    assert.ok(flow.enter('c') !== undefined);
    assert.equal(flow.enter('d'), undefined);
  });

  it('bounds the bytes of bodies, and gives them back', () => {
    const flow = new FlowControl(limits);
    const [a, b] = [flow.enter('a'), flow.enter('b')];
    assert.equal(a?.hold(60), true);
    assert.equal(a?.hold(1), false);
    assert.equal(b?.hold(41), false);
    a?.leave();
    assert.equal(b?.hold(60), true);
  });
});
