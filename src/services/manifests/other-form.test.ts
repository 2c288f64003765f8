import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputProblem } from '../errors.ts';
import { parseManifests } from './load.ts';

const CASES: readonly [file: string, text: string, says: RegExp][] = [
  [
    'compose.yaml',
    'services: {web: {image: nginx}}',
    /compose file; .*kompose convert -f compose\.yaml -o k8s\/$/,
  ],
  ['base/kustomization.yaml', 'resources: [web.yaml]', /base is for kustomize; .*kubectl kustomize base > /],
  [
    'Kustomization',
    '{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization}',
    /kubectl kustomize \. > /,
  ],
  [
    'web/Chart.yaml',
    '{apiVersion: v2, name: web, version: 1.0.0}',
    /web is a Helm chart; .*helm template web > /,
  ],
  ['turnsole.yaml', 'folders: [chaos]', /has settings, .*name the manifests alone$/],
  ['other.yaml', 'name: web', /^expected a text, found nothing$/],
  ['constructor', 'name: web', /^expected a text, found nothing$/],
];
for (const [file, text, says] of CASES)
  test(`${file} is no manifest, and what makes one is said`, () => {
    const problems: InputProblem[] = [];
    assert.deepEqual(parseManifests(file, text, problems), []);
    const [{ message = '' } = {}, ...more] = problems;
    assert.match(message, says);
    assert.deepEqual(more, []);
  });
