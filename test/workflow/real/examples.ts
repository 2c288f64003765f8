/**
 * Argo's own examples by what they need, and how they have to end. Their names are those of their files without `.yaml`, and the classes
 * those of the reference: P needs shell, coreutils and python3 only; A an artifact repository; V volumes; K objects of the API; N
 * an HTTP server; X other software.
 */
export type ExampleClass = 'P' | 'A' | 'V' | 'K' | 'N' | 'X';

/** How an example has to end; `random`: it succeeds, and which nodes run is a matter of chance; `either`: so is its end. */
export type Expected = 'Succeeded' | 'Failed' | 'random' | 'either';

export interface Example {
  readonly name: string;
  readonly class: ExampleClass;
  readonly expected: Expected;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

const LISTS: readonly (readonly [ExampleClass, Expected, readonly string[]])[] = [
  [
    'P',
    'Succeeded',
    words(`
      arguments-parameters colored-logs conditionals continue-on-fail dag-custom-metrics dag-diamond-steps dag-diamond
      dag-enhanced-depends dag-inline-workflow dag-multiroot dag-nested dag-targets dns-config exit-code-output-variable
      exit-handler-dag-level exit-handler-step-level exit-handler-with-param expression-destructure-json-complex
      expression-destructure-json expression-reusing-verbose-snippets expression-tag-template-workflow forever gc-ttl
      global-parameters hello-world image-pull-secrets init-container input-artifact-raw label-value-from-workflow loops-dag
      loops-maps loops-param-argument loops-param-result loops-sequence loops node-selector output-parameter parallelism-limit
      parallelism-nested-dag parallelism-nested-workflow parallelism-nested parallelism-template-limit parameter-aggregation-dag
      parameter-aggregation-script parameter-aggregation pod-metadata-wf-field pod-metadata pod-resources-template-override
      pod-resources pod-spec-from-previous-step pod-spec-patch-wf-tmpl pod-spec-patch pod-spec-yaml-patch recursive-for-loop
      scripts-bash scripts-python status-reference steps-inline-workflow steps synchronization-mutex-tmpl-level
      synchronization-mutex-wf-level template-on-exit title-and-description-with-markdown
      cluster-workflow-template/cluster-wftmpl-dag cluster-workflow-template/mixed-cluster-namespaced-wftmpl-steps
      cluster-workflow-template/workflow-template-ref-with-entrypoint-arg-passing cluster-workflow-template/workflow-template-ref
      container-set-template/graph-workflow container-set-template/outputs-result-workflow
      container-set-template/parallel-workflow container-set-template/sequence-workflow
      skipped-output-defaults/consumer-input-default skipped-output-defaults/expression-fallback
      skipped-output-defaults/producer-output-default workflow-template/dag workflow-template/hello-world workflow-template/steps
      workflow-template/workflow-template-ref-with-entrypoint-arg-passing workflow-template/workflow-template-ref`),
  ],
  [
    'P',
    'random',
    words(`coinflip-recursive coinflip conditional-parameters conditionals-complex dag-coinflip dag-conditional-parameters
      retry-container-to-completion withsequence-nested-result`),
  ],
  [
    'P',
    'Failed',
    words(`dag-continue-on-fail dag-disable-failFast dag-task-level-timeout exit-handlers loops-arbitrary-sequential-steps
      pod-gc-strategy-with-label-selector pod-gc-strategy retry-conditional step-level-timeout timeouts-step timeouts-workflow`),
  ],
  [
    'P',
    'either',
    words(`custom-metrics resubmit retry-backoff retry-container retry-on-error retry-script retry-with-steps template-defaults
      workflow-template/retry-with-steps`),
  ],
  [
    'A',
    'Succeeded',
    words(`archive-location artifact-disable-archive artifact-gc-workflow artifact-passing-subpath artifact-passing
      artifact-path-placeholders artifact-repository-ref data-transformations exit-handler-with-artifacts global-outputs
      handle-large-output-results key-only-artifact map-reduce nested-workflow variables-showcase
      workflow-template/workflow-archive-logs`),
  ],
  ['A', 'random', words('conditional-artifacts dag-conditional-artifacts')],
  ['A', 'either', words('work-avoidance')],
  [
    'V',
    'Succeeded',
    words('secrets volumes-emptydir volumes-existing volumes-pvc container-set-template/workspace-workflow'),
  ],
  [
    'K',
    'Succeeded',
    words(`arguments-parameters-from-configmap cron-backfill default-pdb-support fibonacci-seq-conditional-param
      global-parameters-from-configmap-referenced-as-local-variable global-parameters-from-configmap k8s-jobs k8s-orchestration
      k8s-owner-reference k8s-patch-json-pod k8s-patch-json-workflow k8s-patch-merge-pod k8s-patch-pod k8s-set-owner-reference
      k8s-wait-wf memoize-simple resource-delete-with-flags synchronization-tmpl-level synchronization-wf-level
      workflow-of-workflows`),
  ],
  ['K', 'either', words('resource-flags')],
  ['N', 'Succeeded', words('http-hello-world life-cycle-hooks-tmpl-level life-cycle-hooks-wf-level')],
  [
    'X',
    'Succeeded',
    words(
      'artifact-passing-explicit-plugin daemon-nginx daemon-step scripts-javascript sidecar-nginx sidecar',
    ),
  ],
];

export const EXAMPLES: readonly Example[] = LISTS.flatMap(([kind, expected, names]) =>
  names.map((name) => ({ name, class: kind, expected })),
);

/** Texts that are replaced in examples that would only sleep for many minutes. */
export const SHORTENED: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  forever: [['seq 1 1000', 'seq 1 5']],
  'parallelism-nested-workflow': [['sleep 30', 'sleep 3']],
  'parallelism-nested-dag': [['sleep 10', 'sleep 3']],
  'parallelism-nested': [['sleep 10', 'sleep 3']],
  'parallelism-limit': [['sleep 10', 'sleep 3']],
  'synchronization-mutex-tmpl-level': [
    ['sleep 20', 'sleep 2'],
    ['sleep 50', 'sleep 3'],
  ],
};

/** Examples whose end is compared by its phase only, with the reason. */
export const BY_PHASE_ONLY: Readonly<Record<string, string>> = {
  'dag-task-level-timeout': 'the pods of the recording took so long to start that another task timed out',
  'fibonacci-seq-conditional-param': 'which steps find the cache filled is a matter of order',
  'k8s-jobs': 'its outputs hold names that the API server draws',
  'k8s-orchestration': 'its outputs hold names that the API server draws',
  'k8s-wait-wf': 'its outputs hold names that the API server draws',
  'retry-conditional': 'which attempt fails for good is a matter of chance',
  'scripts-javascript': 'its result is a random number',
  'scripts-python': 'its result is a random number',
  'step-level-timeout': 'a step that timed out does not end its group while another step still runs',
  'timeouts-workflow': 'whether the kubelet or the controller is first to end a pod differs from run to run',
};
