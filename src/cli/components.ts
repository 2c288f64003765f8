import type { WebhookIo } from '../components/webhook/run-webhook.ts';

/** The main function of a component: runs until done or signalled, resolves to the exit code. */
type ComponentMain = (argv: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;

/** An entry point that runs inside a cluster. */
interface ComponentEntry {
  /** Its purpose, for the list of commands. */
  readonly help: string;
  /** Its flags and variables, for its own --help. */
  readonly settings?: string;
  readonly load: () => Promise<ComponentMain>;
}

/**
 * The entry points that run inside a cluster. They start often and take upstream's one-dash flags, so they bypass the
 * command-line parser of the other commands and load nothing but themselves.
 */
export const COMPONENTS: Readonly<Record<string, ComponentEntry>> = {
  operator: {
    help: 'reconciles ChaosEngines',
    settings:
      'flags -leader-elect, -metrics-bind-address, -health-probe-bind-address; environment WATCH_NAMESPACE, CHAOS_RUNNER_IMAGE',
    load: async () => (await import('../components/operator/run-operator.ts')).runOperator,
  },
  'workflow-controller': {
    help: 'runs Workflows',
    settings:
      'flags -kubeconfig, -namespaced, -managed-namespace, -instanceid, -workflow-workers, -executor-image, ' +
      '-executor-image-pull-policy, -leader-elect, -metrics-bind-address, -health-probe-bind-address',
    load: async () =>
      (await import('../components/workflow-controller/run-workflow-controller.ts')).runWorkflowController,
  },
  runner: {
    help: 'carries out one ChaosEngine',
    settings: 'environment CHAOSENGINE, EXPERIMENT_LIST, …',
    load: async () => (await import('../components/runner/run-runner.ts')).runRunner,
  },
  experiment: {
    help: 'runs one experiment',
    settings: 'flag -name <experiment>',
    load: async () => {
      const [{ runExperimentMain }, { faultRegistry }] = await Promise.all([
        import('../experiment/run/main/experiment-main.ts'),
        import('../faults/index.ts'),
      ]);
      return (argv, env) => runExperimentMain(argv, env, faultRegistry);
    },
  },
  webhook: {
    help: 'judges ChaosEngines, ChaosExperiments, ChaosSchedules and EventTrackerPolicies before they are stored',
    load: async () => {
      const [{ runWebhook }, { faultNameOf }, { faultRegistry }, { idleSettings }] = await Promise.all([
        import('../components/webhook/run-webhook.ts'),
        import('../chaos/fault-name.ts'),
        import('../faults/index.ts'),
        import('../experiment/plan/idle-settings.ts'),
      ]);
      const permissionsOf: WebhookIo['permissionsOf'] = async (name) =>
        (await faultRegistry.get(name)?.())?.permissions;
      const idleReasonOf: WebhookIo['idleReasonOf'] = (...of) => idleSettings(faultRegistry, ...of);
      return (argv, env) => runWebhook(argv, env, { permissionsOf, faultOf: faultNameOf, idleReasonOf });
    },
  },
  exporter: {
    help: 'serves metrics of chaos',
    settings:
      'on :8080/metrics: of a namespace (environment WATCH_NAMESPACE), of the cluster (without it), or of one ChaosEngine (CHAOSENGINE); ' +
      'flags -kubeconfig, -metrics-bind-address, -health-probe-bind-address, -tls-cert-file, -tls-private-key-file',
    load: async () => {
      const [{ runExporter }, { packageVersion }] = await Promise.all([
        import('../components/exporter/run-exporter.ts'),
        import('../process/version.ts'),
      ]);
      return (argv, env) => runExporter(argv, env, { version: packageVersion() });
    },
  },
  subscriber: {
    help: 'connects the cluster to a control plane of LitmusChaos',
    settings:
      'flags -kubeconfig, -leader-elect, -metrics-bind-address, -health-probe-bind-address; environment SERVER_ADDR, INFRA_ID, ACCESS_KEY, …',
    load: async () => {
      const { runSubscriber } = await import('../components/subscriber/run-subscriber.ts');
      return (argv, env) =>
        runSubscriber(argv, env, {
          // Faults and the rules of plans are loaded when a server asks for the first one.
          planManifest: async (...given) =>
            (await import('../services/plan/plan-manifest.ts')).planManifest(...given),
        });
    },
  },
  'event-tracker': {
    help: 'starts chaos when workloads change',
    settings:
      'flags -kubeconfig, -leader-elect, -metrics-bind-address, -health-probe-bind-address; ' +
      'environment INFRA_NAMESPACE, INFRA_SCOPE, WATCH_NAMESPACE',
    load: async () => (await import('../components/event-tracker/run-event-tracker.ts')).runEventTracker,
  },
  'litmus-checker': {
    help: "creates the ChaosEngine of a workflow's step and ends with its run",
    settings: 'flags -file, -saveName, -kubeconfig',
    load: async () => (await import('../components/litmus-steps/run-checker.ts')).runChecker,
  },
  'litmus-app-deployer': {
    help: 'puts a demonstration application into a namespace',
    settings: 'flags -namespace, -app, -typeName, -operation, -scope, -timeout',
    load: async () => (await import('../components/litmus-steps/run-deployer.ts')).runDeployer,
  },
  load: {
    help: 'sends requests to a service, and serves what came of them on :8080',
    settings:
      'flags -config, -url, -rate, -timeout, -ramp, -connections, -bind-address; environment LOAD_CONFIG, TARGET_URL, RATE, …',
    load: async () => (await import('../components/load/run-load.ts')).runLoad,
  },
  'rootless-cluster': {
    help: 'serves an embedded cluster in namespaces of its own to the command of an ordinary user, which starts it',
    load: async () => (await import('../embedded/rootless/run-rootless.ts')).runRootless,
  },
  kubectl: {
    help: 'applies, creates and deletes objects, as kubectl does, for steps of workflows on machines without kubectl',
    load: async () => (await import('./kubectl/run-kubectl.ts')).runKubectl,
  },
  'workflow-helper': {
    help: 'does the part of a workflow step that needs Turnsole (init, wait, resource, data)',
    load: async () => (await import('../components/workflow-helper/run-helper.ts')).runHelper,
  },
  helper: {
    help: "acts on a target's node for an experiment",
    settings: 'flag -name <fault>',
    load: async () => {
      const [{ runHelperMain }, { faultRegistry }] = await Promise.all([
        import('../experiment/helper/main/helper-main.ts'),
        import('../faults/index.ts'),
      ]);
      return (argv, env) => runHelperMain(argv, env, faultRegistry);
    },
  },
};
