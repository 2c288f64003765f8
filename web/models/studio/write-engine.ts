import { at, isJson, type Json, listAt, objectAt, textAt, withAt } from '../json/json.ts';
import type { Draft, Step } from './draft.ts';

/** The ChaosEngine of a new step. Tags are for the workflow controller. */
export function newEngine(draft: Draft, step: Step): Json {
  const engine = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: {
      generateName: step.name,
      namespace: '{{workflow.parameters.adminModeNamespace}}',
      labels: { workflow_run_id: '{{ workflow.uid }}', workflow_name: draft.name },
    },
    spec: {
      engineState: 'active',
      ...(step.fault.hasTarget ? { appinfo: {} } : {}),
      chaosServiceAccount: 'litmus-admin',
      experiments: [{ name: step.fault.name, spec: { components: { env: [] } } }],
    },
  };
  return withStep(engine, step);
}

/** Writes the form's fields of a step into an engine; everything else stays as it is. Pure. */
export function withStep(engine: Json, step: Step): Json {
  const { target, probes, fault } = step;
  const targeted = fault.hasTarget
    ? withAt(engine, ['spec', 'appinfo'], {
        ...objectAt(engine, 'spec', 'appinfo'),
        appns: target.namespace,
        applabel: target.label,
        appkind: target.kind,
      })
    : engine;
  const [experiment] = listAt(targeted, 'spec', 'experiments');
  const env = envFor(listAt(experiment, 'spec', 'components', 'env'), step);
  const changed = withAt(isJson(experiment) ? experiment : {}, ['spec', 'components', 'env'], env);
  return withProbes(withAt(targeted, ['spec', 'experiments'], [changed]), probes);
}

/** An engine whose label names its workflow; tags stay. Pure. */
export function namedEngine(engine: Json, name: string): Json {
  return named(engine, ['metadata', 'labels', 'workflow_name'], name);
}

/** Sets a field to a name, if the object has the field. Pure. */
export function named(object: Json, path: readonly [string, ...string[]], name: string): Json {
  const before = at(object, ...path);
  const isTag = typeof before === 'string' && before.includes('{{');
  return before === undefined || before === name || isTag ? object : withAt(object, path, name);
}

/** The variables of an engine: existing ones in their order with their new values, then those that differ from the defaults. */
function envFor(present: readonly unknown[], { fault, settings }: Step): unknown[] {
  const kept = present.flatMap((variable) => {
    if (!isJson(variable) || variable.valueFrom !== undefined) return [variable];
    const value = settings[String(variable.name)];
    if (value === undefined) return [];
    return [String(variable.value ?? '') === value ? variable : { ...variable, value }];
  });
  const names = new Set(present.filter(isJson).map(({ name }) => name));
  const added = Object.entries(settings)
    .filter(([name, value]) => !names.has(name) && value !== (fault.defaults.get(name) ?? ''))
    .map(([name, value]) => ({ name, value }));
  return [...kept, ...added];
}

function withProbes(engine: Json, probes: Step['probes']): Json {
  const path = ['metadata', 'annotations', 'probeRef'] as const;
  if (probes.length > 0) {
    const text = textAt(engine, ...path);
    return sameProbes(text, probes) ? engine : withAt(engine, path, JSON.stringify(probes));
  }
  const { probeRef: gone, ...others } = objectAt(engine, 'metadata', 'annotations');
  if (gone === undefined) return engine;
  return withAt(engine, ['metadata', 'annotations'], Object.keys(others).length === 0 ? undefined : others);
}

/** Whether an annotation has the same content, perhaps with other blanks. */
function sameProbes(text: string, probes: Step['probes']): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(probes);
  } catch {
    return false;
  }
}
