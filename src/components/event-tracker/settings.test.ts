import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFlags } from '../../process/flags.ts';
import { FLAGS, readSettings } from './settings.ts';

const flags = readFlags('event-tracker', [], FLAGS);
const OWN = { INFRA_NAMESPACE: 'litmus', INFRA_SCOPE: 'namespace' };

const WATCHED: readonly (readonly [env: Record<string, string>, namespace: string | undefined])[] = [
  [OWN, 'litmus'],
  [{ ...OWN, WATCH_NAMESPACE: 'shop' }, 'shop'],
  [{ ...OWN, INFRA_SCOPE: 'cluster' }, undefined],
  [{ ...OWN, INFRA_SCOPE: 'cluster', WATCH_NAMESPACE: 'shop' }, undefined],
];
for (const [env, namespace] of WATCHED) {
  test(`with ${JSON.stringify(env)} workloads of ${namespace ?? 'all namespaces'} are watched`, () => {
    assert.equal(readSettings(flags, env).watchNamespace, namespace);
  });
}

const REFUSED: readonly (readonly [env: Record<string, string>, says: RegExp])[] = [
  [{ INFRA_SCOPE: 'cluster' }, /^INFRA_NAMESPACE must be set/],
  [{ ...OWN, INFRA_SCOPE: 'Cluster' }, /^INFRA_SCOPE must be cluster or namespace, not "Cluster"/],
  [{ INFRA_NAMESPACE: 'litmus' }, /^INFRA_SCOPE must be/],
  [{ ...OWN, WATCH_NAMESPACE: 'My Shop' }, /^WATCH_NAMESPACE: "My Shop" is no name/],
];
for (const [env, says] of REFUSED) {
  test(`${JSON.stringify(env)} is refused`, () => {
    assert.throws(() => readSettings(flags, env), { name: 'UsageError', message: says });
  });
}
