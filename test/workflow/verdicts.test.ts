/**
 * Small workflows, and whether they are taken. What Argo says of each was asked of Argo's own validation (`ValidateWorkflow`, release 4.1.2); where
 * this project says something else, the row says why.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { readManifest } from '@turnsole/workflows/kinds/manifest/read-manifest';
import { parse } from 'yaml';
import { workflowProblems } from '../../src/services/workflows/manifest-problems.ts';
import { libraryOf } from '../../src/services/workflows/template-library.ts';

type Verdict = 'accepted' | 'refused';

interface Row {
  readonly about: string;
  readonly argo: Verdict;
  /** What is said here, where that is something else. */
  readonly here?: Verdict;
  readonly because?: string;
  /** Where the first problem stands. */
  readonly field?: string;
  readonly kind?: string;
  readonly metadata?: object;
  readonly spec: unknown;
  /** Further objects, by kind and name. */
  readonly library?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const FILE = join(import.meta.dirname, 'verdicts/cases.yaml');
// The file is this project's own; parts of it stand in many rows.
const rows = parse(readFileSync(FILE, 'utf8'), { maxAliasCount: -1 }) as readonly Row[];

function objectOf(kind: string, metadata: object, spec: unknown): KubeObject {
  return readManifest({ apiVersion: 'argoproj.io/v1alpha1', kind, metadata, spec }).object as KubeObject;
}

describe('workflows that Argo takes or refuses', () => {
  for (const {
    about,
    argo,
    here = argo,
    because,
    field,
    kind = 'Workflow',
    metadata,
    spec,
    library = {},
  } of rows) {
    test(`${here}: ${about}`, () => {
      const others = Object.entries(library).flatMap(([of, specs]) =>
        Object.entries(specs).map(([name, other]) => objectOf(of, { name }, other)),
      );
      const problems = workflowProblems(
        objectOf(kind, { name: 'case', ...metadata }, spec),
        libraryOf(others),
      );
      const [first] = problems;
      assert.equal(first === undefined ? 'accepted' : 'refused', here, first?.text);
      assert.equal(first?.path, field);
      assert.equal(here === argo, because === undefined, 'a difference has a reason');
    });
  }
});
