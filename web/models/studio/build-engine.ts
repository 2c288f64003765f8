import type { Draft, Step } from './draft.ts';

/** The engine that a step makes when it runs: an object of kind ChaosEngine. Tags are for the workflow controller. */
export function buildEngine(draft: Draft, step: Step): object {
  const { target, fault } = step;
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: {
      generateName: step.name,
      namespace: '{{workflow.parameters.adminModeNamespace}}',
      labels: { workflow_run_id: '{{ workflow.uid }}', workflow_name: draft.name },
      ...(step.probes.length === 0 ? {} : { annotations: { probeRef: JSON.stringify(step.probes) } }),
    },
    spec: {
      engineState: 'active',
      ...(fault.hasTarget
        ? { appinfo: { appns: target.namespace, applabel: target.label, appkind: target.kind } }
        : {}),
      chaosServiceAccount: 'litmus-admin',
      experiments: [{ name: fault.name, spec: { components: { env: changedSettings(step) } } }],
    },
  };
}

/** Settings that are not what the fault would take anyway. */
function changedSettings({ fault, settings }: Step): { readonly name: string; readonly value: string }[] {
  return Object.entries(settings)
    .filter(([name, value]) => value !== (fault.defaults.get(name) ?? ''))
    .map(([name, value]) => ({ name, value }));
}
