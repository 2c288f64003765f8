/** Workflows as LitmusChaos makes them: its web studio with what its server adds, and those of its charts. */

/** What differs between the places where they run. */
export interface LitmusPlace {
  /** Namespace of the infrastructure: there workflows, engines and faults are. */
  readonly namespace: string;
  /** Value of the label `app` of the target. */
  readonly app: string;
  readonly instanceId?: string;
  /** @default latest */
  readonly imageTag?: string;
  /** How long the studio's workflow sleeps after the faults are installed; the studio itself writes 30. @default 1 */
  readonly installedSeconds?: number;
}

const FAULT = 'pod-delete';

function indented(text: string, blanks: number): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `${' '.repeat(blanks)}${line}`)
    .join('\n');
}

function experiment(name: string): string {
  return `
apiVersion: litmuschaos.io/v1alpha1
description:
  message: |
    Deletes a pod belonging to a deployment
kind: ChaosExperiment
metadata:
  name: ${name}
  labels: { name: ${name}, app.kubernetes.io/part-of: litmus }
spec:
  definition:
    scope: Namespaced
    permissions: []
    image: litmuschaos/go-runner:latest
    imagePullPolicy: Always
    args: [-c, ./experiments -name ${FAULT}]
    command: [/bin/bash]
    env:
      - { name: TOTAL_CHAOS_DURATION, value: "15" }
      - { name: FORCE, value: "true" }
      - { name: CHAOS_INTERVAL, value: "5" }
    labels: { name: ${name}, app.kubernetes.io/part-of: litmus, app.kubernetes.io/component: experiment-job }
`;
}

interface EngineInput extends LitmusPlace {
  readonly metadata: string;
  readonly seconds: number;
}

function engine({ metadata, namespace, app, seconds }: EngineInput): string {
  return `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: ${metadata}
spec:
  engineState: active
  appinfo: { appns: ${namespace}, applabel: app=${app}, appkind: deployment }
  chaosServiceAccount: litmus-admin
  experiments:
    - name: ${FAULT}
      spec:
        components:
          env:
            - { name: TOTAL_CHAOS_DURATION, value: "${seconds}" }
            - { name: CHAOS_INTERVAL, value: "${seconds}" }
            - { name: FORCE, value: "false" }
        probe: []
`;
}

function labels({ instanceId }: LitmusPlace): string {
  const id = instanceId === undefined ? '' : `, workflows.argoproj.io/controller-instanceid: ${instanceId}`;
  return `{ infra_id: infra, workflow_id: 7b0a, revision_id: 91c3, subject: pod-delete_litmus${id} }`;
}

/** A workflow of the web studio as its server stores it: two faults installed by raw artifacts, one run, then cleaned up. */
export function studioWorkflow(name: string, place: LitmusPlace, seconds = 3): string {
  const { namespace, imageTag = 'latest', installedSeconds = 1 } = place;
  const metadata =
    `{ generateName: ${FAULT}-, namespace: "{{workflow.parameters.adminModeNamespace}}", ` +
    `labels: { workflow_run_id: "{{ workflow.uid }}", workflow_name: ${name}, step_pod_name: "{{pod.name}}" } }`;
  return `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: ${name}
  namespace: ${namespace}
  creationTimestamp: null
  labels: ${labels(place)}
spec:
  arguments:
    parameters:
      - { name: adminModeNamespace, value: ${namespace} }
  entrypoint: ${name}
  podGC: { strategy: OnWorkflowCompletion }
  securityContext: { runAsNonRoot: true, runAsUser: 1000 }
  serviceAccountName: argo-chaos
  templates:
    - name: ${name}
      inputs: {}
      outputs: {}
      metadata: {}
      steps:
        - - { name: install-chaos-faults, template: install-chaos-faults, arguments: {} }
        - - { name: ${FAULT}-ji5, template: ${FAULT}-ji5, arguments: {} }
        - - { name: cleanup-chaos-resources, template: cleanup-chaos-resources, arguments: {} }
    - name: install-chaos-faults
      inputs:
        artifacts:
          - name: ${FAULT}
            path: /tmp/${FAULT}.yaml
            raw:
              data: |
${indented(experiment(FAULT), 16)}
          - name: another
            path: /tmp/another.yaml
            raw:
              data: |
${indented(experiment('another'), 16)}
      outputs: {}
      metadata: {}
      container:
        name: ""
        image: litmuschaos/k8s:${imageTag}
        command: [sh, -c]
        args: ["id -u && ls /tmp && touch /tmp/written && kubectl apply -f /tmp/ -n {{workflow.parameters.adminModeNamespace}} && sleep ${installedSeconds}"]
        resources: {}
    - name: ${FAULT}-ji5
      inputs:
        artifacts:
          - name: ${FAULT}-ji5
            path: /tmp/chaosengine-${FAULT}-ji5.yaml
            raw:
              data: |
${indented(engine({ ...place, metadata, seconds }), 16)}
      outputs: {}
      metadata: { labels: { weight: "10" } }
      container:
        name: ""
        image: litmuschaos/litmus-checker:${imageTag}
        args: [-file=/tmp/chaosengine-${FAULT}-ji5.yaml, -saveName=/tmp/engine-name]
        resources: {}
    - name: cleanup-chaos-resources
      inputs: {}
      outputs: {}
      metadata: {}
      container:
        name: ""
        image: litmuschaos/k8s:${imageTag}
        command: [sh, -c]
        args: ["kubectl delete chaosengine -l workflow_run_id={{workflow.uid}} -n {{workflow.parameters.adminModeNamespace}}"]
        resources: {}
status: { startedAt: null, finishedAt: null }
`;
}

/** A workflow of a chart: values are numbers, engines have names, and the clean-up names its objects. */
export function chartWorkflow(name: string, place: LitmusPlace): string {
  const { namespace, app, imageTag = 'latest' } = place;
  const step = (run: string): string =>
    `container: { image: litmuschaos/k8s:${imageTag}, command: [sh, -c], args: ["${run}"] }`;
  const metadata = `{ name: ${name}-chaos, namespace: "{{workflow.parameters.adminModeNamespace}}" }`;
  return `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${name}, namespace: ${namespace}, labels: ${labels(place)} }
spec:
  entrypoint: argowf-chaos
  serviceAccountName: argo-chaos
  securityContext: { runAsUser: 1000, runAsNonRoot: true }
  arguments:
    parameters:
      - { name: adminModeNamespace, value: ${namespace} }
      - { name: appLabel, value: "app=${app}" }
      - { name: retries, value: 2 }
  templates:
    - name: argowf-chaos
      steps:
        - - { name: install-chaos-experiments, template: install-chaos-experiments }
        - - { name: ${FAULT}, template: ${FAULT} }
          - { name: load, template: load }
        - - { name: revert-chaos, template: revert-chaos }
    - name: install-chaos-experiments
      inputs:
        artifacts:
          - name: ${FAULT}
            path: /tmp/${FAULT}.yaml
            raw:
              data: |
${indented(experiment(FAULT), 16)}
      ${step('kubectl apply -f /tmp/pod-delete.yaml -n {{workflow.parameters.adminModeNamespace}} | echo applied | sleep 1')}
    - name: ${FAULT}
      inputs:
        artifacts:
          - name: ${FAULT}
            path: /tmp/chaosengine.yaml
            raw:
              data: |
${indented(engine({ ...place, metadata, seconds: 3 }), 16)}
      container:
        image: litmuschaos/litmus-checker:${imageTag}
        args: [-file=/tmp/chaosengine.yaml, -saveName=/tmp/engine-name]
    - name: load
      ${step('echo load {{workflow.parameters.retries}}')}
    - name: revert-chaos
      ${step(`kubectl delete chaosengine ${name}-chaos -n {{workflow.parameters.adminModeNamespace}}`)}
`;
}
