/** The static types are what the schemas say (checked by the compiler), and taking them costs nothing at run time. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { EnvVar, KubeObject, ObjectMeta, PolicyRule } from '@turnsole/kube/kinds/core';
import type {
  ChaosEngine,
  ChaosExperiment,
  ChaosResult,
  ChaosSchedule,
  EngineVerdict,
  ExperimentStatus,
  LedgerEntry,
  Probe,
  ProbeMode,
  ProbeType,
  TimelineEntry,
} from './index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type All<T extends true[]> = T;

/** Compiles only while every entry is `true`. */
export type Checks = All<
  [
    Equal<ChaosEngine['metadata'], ObjectMeta>,
    Equal<ChaosEngine['spec']['engineState'], 'active' | 'stop' | '' | undefined>,
    Equal<NonNullable<NonNullable<ChaosEngine['status']>['experiments']>[number]['verdict'], EngineVerdict>,
    Equal<NonNullable<NonNullable<ChaosEngine['status']>['experiments']>[number]['status'], ExperimentStatus>,
    Equal<NonNullable<NonNullable<ChaosEngine['status']>['timeline']>[number], TimelineEntry>,
    Equal<ChaosEngine['spec']['experiments'][number]['dependsOn'], string[] | undefined>,
    Equal<Probe['mode'], ProbeMode>,
    Equal<Probe['type'], ProbeType>,
    Equal<NonNullable<Probe['httpProbe/inputs']>['url'], string>,
    Equal<NonNullable<Probe['cmdProbe/inputs']>['comparator']['type'], 'int' | 'float' | 'string'>,
    Equal<ChaosExperiment['spec']['definition']['env'], EnvVar[] | undefined>,
    Equal<ChaosExperiment['spec']['definition']['permissions'], PolicyRule[] | undefined>,
    Equal<NonNullable<ChaosResult['status']>['ledger'], Record<string, LedgerEntry> | undefined>,
    Equal<ChaosSchedule['spec']['engineTemplateSpec'], ChaosEngine['spec'] | undefined>,
    ChaosEngine extends KubeObject ? true : false,
    ChaosResult extends KubeObject ? true : false,
  ]
>;

test('the index loads neither the schema library nor JSON', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
    process.stdout.write(JSON.stringify(loaded));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  const base = new URL('../..', import.meta.url).href;
  const loaded: string[] = JSON.parse(stdout);
  assert.deepEqual(loaded.map((url) => url.replace(base, '')).sort(), [
    'packages/kube/src/kinds/resources.ts',
    'src/api/condition-types.ts',
    'src/api/index.ts',
    'src/api/labels.ts',
    'src/api/ledger.ts',
    'src/api/resources.ts',
    'src/api/schema/vocabulary.ts',
    'src/api/timeline.ts',
  ]);
});
