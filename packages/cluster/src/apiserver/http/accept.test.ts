import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { negotiate } from './accept.ts';
import { mediaRanges } from './media-ranges.ts';
import { StatusError } from './status.ts';

describe('the Accept header', () => {
  for (const [header, expected] of [
    ['application/json', 'application/json'],
    ['a/b;q=0.1,c/d', 'c/d a/b'],
    ['*/*,application/*,application/json', 'application/json application/* */*'],
    ['*', '*/*'],
    ['text/html;q=0, a/b', 'a/b'],
    ['nonsense, /, a/, a/b', 'a/b'],
    ['', ''],
  ] as const) {
    it(`${JSON.stringify(header)} is ${expected || 'nothing'}`, () => {
      const ranges = mediaRanges(header).map(({ type, subtype }) => `${type}/${subtype}`);
      assert.equal(ranges.join(' '), expected);
    });
  }

  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1';
  for (const [header, expected] of [
    [undefined, 'object v1'],
    ['*/*', 'object v1'],
    ['application/*', 406],
    ['application/*, */*;q=0.1', 'object v1'],
    ['application/vnd.kubernetes.protobuf, */*', 'object v1'],
    ['application/cbor, application/json;q=0.9', 'object v1'],
    [`${table},application/json`, 'table v1'],
    [`application/json;q=0.5,${table}`, 'table v1'],
    [`${table};q=0.5,application/json`, 'object v1'],
    [metadata, 'metadata v1beta1'],
    ['application/json;as=Table;v=v2;g=meta.k8s.io,application/json', 'object v1'],
    ['application/json;as=constructor,application/json', 'object v1'],
    ['application/yaml', 'yaml'],
    ['application/json;q=0.1,application/yaml', 'yaml'],
    ['text/html', 406],
    ['application/json;as=Nothing', 406],
  ] as const) {
    it(`${header} means ${expected}`, () => {
      let found: string | number;
      try {
        const { view, version, isYaml } = negotiate(header);
        found = isYaml === true ? 'yaml' : `${view} ${version}`;
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        found = error.code;
      }
      assert.equal(found, expected);
    });
  }

  it('has another choice than a Table where there is none', () => {
    assert.equal(negotiate(`${table},application/json`, false).view, 'object');
    assert.throws(() => negotiate(table, false), { code: 406 });
  });
});
