import type { Manifest } from '../manifest/read-manifest.ts';

/** The text of an engine as a studio writes it into an artifact; its tags stand in quotes. */
export function engineYaml({
  generateName = 'pod-delete',
  annotations = '',
  probe = '',
}: {
  readonly generateName?: string;
  readonly annotations?: string;
  readonly probe?: string;
} = {}): string {
  return `apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata:
  namespace: "{{workflow.parameters.adminModeNamespace}}"
  generateName: ${generateName}
  labels:
    workflow_run_id: "{{ workflow.uid }}"
    context: shop # who asks
${annotations}spec:
  engineState: active
  jobCleanUpPolicy: {{workflow.parameters.policy}}
  experiments:
    - name: pod-delete
      spec:
        components:
          env:
            - name: TOTAL_CHAOS_DURATION
              value: "15"
${probe}`;
}

/** A probe as an engine holds it, in YAML. */
export const INLINE_PROBE = `        probe:
          - name: web-answers
            type: httpProbe
            mode: Continuous
            httpProbe/inputs:
              url: http://web.{{workflow.parameters.appNamespace}}.svc
              method:
                get:
                  criteria: ==
                  responseCode: "200"
            runProperties:
              probeTimeout: 500
              interval: 2
              attempt: 1
`;

/** A template of a workflow with an engine in its artifact. */
export function faultTemplate(data: string, metadata: object = {}): Readonly<Record<string, unknown>> {
  return {
    name: 'fault-step',
    metadata,
    inputs: {
      artifacts: [{ name: 'pod-delete-k8q', path: '/tmp/chaosengine.yaml', raw: { data } }],
    },
    container: { image: 'litmuschaos/litmus-checker:2.11.0', args: ['-file=/tmp/chaosengine.yaml'] },
  };
}

/** A workflow with these templates beside one that installs faults. */
export function workflowOf(...templates: readonly object[]): Manifest {
  const install = {
    name: 'install-chaos-faults',
    inputs: {
      artifacts: [{ name: 'pod-delete', path: '/tmp/f.yaml', raw: { data: 'kind: ChaosExperiment' } }],
    },
  };
  const object = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'shop', namespace: 'litmus', labels: { subject: '{{workflow.parameters.x}}' } },
    spec: { entrypoint: 'shop', templates: [install, ...templates] },
  };
  return { kind: 'Workflow', name: 'shop', object };
}

/** The same as a CronWorkflow. */
export function cronOf({ object, name }: Manifest, schedule = '0 * * * *'): Manifest {
  return {
    kind: 'CronWorkflow',
    name,
    object: { ...object, kind: 'CronWorkflow', spec: { schedule, workflowSpec: object.spec } },
  };
}

/** An engine, or a schedule of engines, that is an experiment of its own. */
export function standaloneOf(kind: 'ChaosEngine' | 'ChaosSchedule', probe: readonly object[] = []): Manifest {
  const engine = { experiments: [{ name: 'pod-delete', spec: { probe } }] };
  const object = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind,
    metadata: { name: 'shop', namespace: 'litmus' },
    spec: kind === 'ChaosEngine' ? engine : { schedule: { now: true }, engineTemplateSpec: engine },
  };
  return { kind, name: 'shop', object };
}
