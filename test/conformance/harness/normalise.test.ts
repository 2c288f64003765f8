import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from './answer.ts';
import { Identities } from './identities.ts';
import { normalise } from './normalise.ts';

const UID = '01234567-89ab-cdef-0123-456789abcdef';
const OTHER_UID = '11111111-89ab-cdef-0123-456789abcdef';

function bodyOf(body: unknown, options: { managedFields?: boolean; identities?: Identities } = {}): unknown {
  const { managedFields = false, identities = new Identities() } = options;
  return normalise({ status: 200, headers: {}, body }, identities, { managedFields }).body;
}

describe('normalise', () => {
  const table: readonly (readonly [string, unknown, unknown])[] = [
    [
      'a uid by its object',
      { metadata: { name: 'a', uid: UID } },
      { metadata: { name: 'a', uid: '<uid a>' } },
    ],
    ['a uid that belongs to nothing seen', { owner: UID }, { owner: '<uid>' }],
    [
      'a uid inside a message',
      { metadata: { name: 'a', uid: UID }, m: `x ${UID}` },
      { m: 'x <uid a>', metadata: { name: 'a', uid: '<uid a>' } },
    ],
    ['a time of the run', { t: '2026-01-02T03:04:05Z' }, { t: '<time>' }],
    ['the precision of a time', { t: '2026-01-02T03:04:05.000001Z' }, { t: '<time .000000>' }],
    ['a time that the scenario sent', { t: '2020-01-02T03:04:05Z' }, { t: '2020-01-02T03:04:05Z' }],
    ['no time yet', { t: null }, { t: null }],
    [
      'a generated name wherever it is',
      { metadata: { generateName: 'job-', name: 'job-x7k2p' }, m: 'pod "job-x7k2p" not found' },
      { m: 'pod "job-<generated>" not found', metadata: { generateName: 'job-', name: 'job-<generated>' } },
    ],
    [
      'a name that was given',
      { metadata: { generateName: 'job-', name: 'mine' } },
      { metadata: { generateName: 'job-', name: 'mine' } },
    ],
    [
      'the version of a list',
      { metadata: { resourceVersion: '77', continue: 'abc' } },
      { metadata: { continue: '<continue>', resourceVersion: '<version>' } },
    ],
    [
      'an absent version',
      { metadata: { resourceVersion: '', continue: '' } },
      { metadata: { continue: '', resourceVersion: '' } },
    ],
    [
      'cluster addresses',
      { clusterIP: '10.96.1.2', clusterIPs: ['10.96.1.2'] },
      { clusterIP: '<cluster ip>', clusterIPs: ['<cluster ip>'] },
    ],
    ['headless services', { clusterIP: 'None' }, { clusterIP: 'None' }],
    ['allocated node ports', { nodePort: 31_234, port: 80 }, { nodePort: '<node port>', port: 80 }],
    ['tokens', { status: { token: 'eyJhbGciOi' } }, { status: { token: '<token>' } }],
    [
      'ages in tables',
      { cells: ['a', '5m3s', '1/1', 2, '10.0.0.1', '192.0.2.1'] },
      { cells: ['a', '<age>', '1/1', 2, '<cluster ip>', '192.0.2.1'] },
    ],
    [
      'versions inside messages',
      { m: 'too old resource version: 1 (234)' },
      { m: 'too old resource version: <version> (<version>)' },
    ],
    ['the order of keys', { b: 1, a: { d: 2, c: 3 } }, { a: { c: 3, d: 2 }, b: 1 }],
    ['the order of lists', { l: ['b', 'a'] }, { l: ['b', 'a'] }],
    ['managed fields', { metadata: { managedFields: [{ manager: 'x' }] } }, { metadata: {} }],
    ['text that is no JSON', '404 page not found\n', '404 page not found\n'],
  ];
  for (const [name, given, wanted] of table) {
    it(`makes comparable: ${name}`, () => {
      const normalised = bodyOf(given);
      assert.deepEqual(normalised, wanted);
      assert.equal(JSON.stringify(normalised), JSON.stringify(wanted));
    });
  }

  it('keeps managed fields where they are asked for, without their times', () => {
    const managedFields = [
      { manager: 'm', time: '2026-01-02T03:04:05Z', fieldsV1: {}, subresource: 'status' },
    ];
    assert.deepEqual(bodyOf({ managedFields }, { managedFields: true }), {
      managedFields: [{ fieldsV1: {}, manager: 'm', subresource: 'status', time: '<time>' }],
    });
  });

  it('orders managers by name, not by the second of their writes', () => {
    const manager = (name: string, operation: string, time: string) => ({ manager: name, operation, time });
    const early = '2026-01-02T03:04:05Z';
    const late = '2026-01-02T03:04:06Z';
    const managedFields = [
      manager('two', 'Apply', early),
      manager('one', 'Apply', late),
      manager('three', 'Update', early),
    ];
    const wanted = ['one', 'two', 'three'];
    for (const given of [managedFields, managedFields.toReversed()]) {
      const body = bodyOf({ managedFields: given }, { managedFields: true });
      assert.deepEqual(
        (body as { managedFields: { manager: string }[] }).managedFields.map((one) => one.manager),
        wanted,
      );
    }
  });

  it('tells whether an object changed since it was last seen', () => {
    const identities = new Identities();
    const versions = ['5', '5', '9', '5', '10'].map((resourceVersion) => {
      const body = bodyOf({ metadata: { name: 'a', uid: UID, resourceVersion } }, { identities });
      return (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    });
    assert.deepEqual(versions, [
      '<version>',
      '<version unchanged>',
      '<version changed>',
      '<version earlier>',
      '<version changed>',
    ]);
  });

  it('tells an object from its successor of the same name', () => {
    const identities = new Identities();
    const first = bodyOf({ metadata: { name: 'a', uid: UID } }, { identities });
    const second = bodyOf({ metadata: { name: 'a', uid: OTHER_UID } }, { identities });
    assert.deepEqual(first, { metadata: { name: 'a', uid: '<uid a>' } });
    assert.deepEqual(second, { metadata: { name: 'a', uid: '<uid a 2>' } });
  });

  it('keeps status, the headers clients act on, and the sequence of watch events', () => {
    const answer: Answer = {
      status: 200,
      headers: { date: 'today', 'content-type': 'application/json', warning: '299 - "old"', 'audit-id': UID },
      events: [
        { type: 'ADDED', object: { metadata: { name: 'a', uid: UID, resourceVersion: '3' } } },
        { type: 'DELETED', object: { metadata: { name: 'a', uid: UID, resourceVersion: '4' } } },
      ],
    };
    assert.deepEqual(normalise(answer, new Identities(), { managedFields: false }), {
      status: 200,
      headers: { 'content-type': 'application/json', warning: '299 - "old"' },
      events: [
        { type: 'ADDED', object: { metadata: { name: 'a', uid: '<uid a>', resourceVersion: '<version>' } } },
        {
          type: 'DELETED',
          object: { metadata: { name: 'a', uid: '<uid a>', resourceVersion: '<version changed>' } },
        },
      ],
    });
  });

  it('does not compare the version in the answer to a deletion', () => {
    const identities = new Identities();
    const body = { metadata: { name: 'a', uid: UID, resourceVersion: '3' } };
    const options = { managedFields: false, isDelete: true };
    for (let time = 0; time < 2; time += 1) {
      const answer = normalise({ status: 200, headers: {}, body }, identities, options);
      assert.deepEqual(answer.body, {
        metadata: { name: 'a', uid: '<uid a>', resourceVersion: '<version>' },
      });
    }
  });
});
