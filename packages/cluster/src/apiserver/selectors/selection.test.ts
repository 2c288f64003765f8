import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameSelectedBy } from './selection.ts';

describe('the name that a field selector allows', () => {
  const rows: readonly (readonly [selector: string, name: string | undefined])[] = [
    ['', undefined],
    ['metadata.name=web', 'web'],
    ['metadata.name==web', 'web'],
    ['metadata.namespace=x,metadata.name=web', 'web'],
    ['metadata.name=web,metadata.namespace!=x', 'web'],
    ['metadata.name!=web', undefined],
    ['spec.other=metadata.name,a=b', undefined],
    // What stands behind a backslash is part of the value.
    ['a=b\\,metadata.name=web', undefined],
    ['metadata.name=we\\,b', 'we,b'],
    ['metadata.name=a=b', undefined],
    [`metadata.name=${'x'.repeat(20_000)}`, undefined],
  ];
  for (const [selector, name] of rows) {
    it(`of ${JSON.stringify(selector.slice(0, 40))} is ${name}`, () =>
      assert.equal(nameSelectedBy(selector), name));
  }
});
