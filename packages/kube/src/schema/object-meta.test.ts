import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectMeta } from '../kinds/core.ts';
import { fieldErrorBody, formatFieldError } from './field-error.ts';
import { validateObjectMeta } from './object-meta.ts';
import recorded from './test-data/recorded-metadata.json' with { type: 'json' };

interface Recorded {
  readonly input: Partial<ObjectMeta>;
  readonly errors?: readonly string[];
}

describe('validateObjectMeta agrees with the recorded API server', () => {
  for (const { input, errors } of recorded.cases as Recorded[]) {
    it(JSON.stringify(input).slice(0, 80), () => {
      const ours = validateObjectMeta(input).map((error) => {
        // The recorded version left indexes of owner references out.
        const path = error.path.replace(/(ownerReferences)\[\d+\]/, '$1');
        // It counted characters of label values and not bytes.
        const body = fieldErrorBody(error).replace(/^(.*no more than 63 )bytes$/, '$1characters');
        return `${path}: ${body}`;
      });
      assert.deepEqual(ours, errors ?? []);
    });
  }
});

describe('validateObjectMeta', () => {
  it('wants text in labels and annotations, as the API server cannot read anything else', () => {
    const metadata: unknown = { name: 'a', labels: { version: 1 }, annotations: { on: true } };
    assert.deepEqual(validateObjectMeta(metadata as ObjectMeta).map(formatFieldError), [
      'metadata.labels.version: Invalid value: 1: must be text; in YAML put quotes around numbers, true and false',
      'metadata.annotations.on: Invalid value: true: must be text; in YAML put quotes around numbers, true and false',
    ]);
  });

  it('limits the size of all annotations together', () => {
    const [error] = validateObjectMeta({ name: 'a', annotations: { a: 'x'.repeat(262_144) } });
    assert.equal(error?.detail, 'must have at most 262144 bytes');
  });

  it('refuses two controllers', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', uid: 'u', controller: true };
    const ownerReferences = [
      { ...owner, name: 'p' },
      { ...owner, name: 'q' },
    ];
    assert.match(
      validateObjectMeta({ name: 'a', ownerReferences })[0]?.detail ?? '',
      /Only one reference can have Controller set to true. Found "true" in references for p and q/,
    );
  });
});
