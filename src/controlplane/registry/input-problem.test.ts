import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImageRegistryInput } from '../schema/generated/types.ts';
import { inputProblem } from './input-problem.ts';

const RIGHT: ImageRegistryInput = {
  isDefault: false,
  imageRegistryName: 'registry.example:5000',
  imageRepoName: 'team/chaos_images',
  imageRegistryType: 'private',
  secretName: 'pull.secret',
  secretNamespace: 'litmus',
};

const CASES: readonly [change: Partial<ImageRegistryInput>, field: string | undefined][] = [
  [{}, undefined],
  [{ imageRepoName: '', secretName: null, imageRegistryType: 'Public' }, undefined],
  [{ imageRegistryName: '' }, 'imageRegistryName'],
  [{ imageRegistryName: 'docker.io/x' }, 'imageRegistryName'],
  [{ imageRegistryName: 'a b' }, 'imageRegistryName'],
  [{ imageRepoName: 'a:b' }, 'imageRepoName'],
  [{ imageRepoName: 'a/../b' }, 'imageRepoName'],
  [{ imageRepoName: 'a\nimage: evil' }, 'imageRepoName'],
  [{ imageRegistryType: 'other' }, 'imageRegistryType'],
  [{ secretName: 'A b' }, 'secretName'],
  [{ secretNamespace: 'a.b' }, 'secretNamespace'],
];

for (const [change, field] of CASES) {
  test(`an image registry with ${JSON.stringify(change)}: ${field ?? 'right'}`, () => {
    assert.equal(inputProblem({ ...RIGHT, ...change })?.field, field);
  });
}
