import { type Command, Option } from 'commander';
import type { InstallCommandOptions } from '../actions/install.ts';
import { contextOption, type Done, durationOption, kubeconfigOption } from '../common-options.ts';
import { parseNamesOption, parseReplicasOption } from '../options.ts';
import { takeOwnFaults } from '../own-faults.ts';

/** `turnsole install`. */
export function addInstall(program: Command, done: Done): void {
  takeOwnFaults(program.command('install'))
    .description('install into a cluster, or bring what is installed to this release; running engines go on')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option('-n, --namespace <name>', 'namespace of the components (default: litmus)')
    .option(
      '--values <file>',
      "where the components' pods run, and what all objects carry: nodeSelector, tolerations, labels and others, as in the Helm chart's values",
    )
    .option('--image <name>', 'image of all components (default: turnsole/turnsole of this version)')
    .addOption(
      new Option('--image-pull-policy <policy>', 'pull policy of that image (default: IfNotPresent)').choices(
        ['Always', 'IfNotPresent', 'Never'],
      ),
    )
    .option('--image-pull-secret <names>', "secrets with the registry's credentials", parseNamesOption)
    .option('--watch-namespace <name>', 'work in this namespace only, with a Role (default: in all)')
    .option('--replicas <n>', 'pods of the operator (default: 1)', parseReplicasOption)
    .option('--leader-elect', 'one operator leads, others take over (default: with more than one)')
    .option('--no-leader-elect', 'no election; an upgrade stops the old operator first')
    .option('--priority-class <name>', "priority class of the components' pods")
    .option(
      '--webhook',
      'admission webhook: valid engines only, and only what their creator may do themselves',
    )
    .option('--no-webhook', 'remove it')
    .option('--workflows', 'install the workflow controller also where another one runs the same workflows')
    .option(
      '--no-workflows',
      'install none, and remove an own one (default: unless another one runs the same workflows)',
    )
    .option(
      '--instance-id <id>',
      'run the workflows with this instance id, as LitmusChaos gives one (default: those without)',
    )
    .option(
      '--subscriber',
      'agent of a LitmusChaos control plane; its subscriber-config and subscriber-secret must be in the namespace',
    )
    .option('--no-subscriber', 'remove it')
    .option('--control-plane', 'the server of "turnsole server", on a claim of this cluster')
    .option('--no-control-plane', 'remove it; its claim and key stay')
    .option(
      '--control-plane-database-secret <name[/key]>',
      'with it: Secret with a postgres:// address (key: url), for as many servers as --replicas says',
    )
    .option(
      '--control-plane-tls-secret <name>',
      'with it: Secret with tls.crt and tls.key, of the Ingress where there is a host, else of the server',
    )
    .option('--control-plane-host <name>', 'with it: an Ingress for this name')
    .option('--exporter', 'serves the metrics of all results for Prometheus')
    .option('--no-exporter', 'remove it')
    .option('--service-monitor', "with --exporter: ServiceMonitor and alerts for Prometheus' operator")
    .option('--event-tracker', 'starts chaos when annotated workloads change, as EventTrackerPolicies say')
    .option('--no-event-tracker', 'remove it')
    .option('--otlp-endpoint <address>', 'collector (OTLP) that gets a trace of each run and workflow')
    .option(
      '--faults <names>',
      'faults to install with their service accounts; "all": those of Turnsole',
      parseNamesOption,
    )
    .option(
      '--fault-namespace <names>',
      'namespaces of engines (default: that of --watch-namespace, else of the components)',
      parseNamesOption,
    )
    .addOption(
      new Option('--fault-scope <scope>', "may faults act beyond their engine's namespace?")
        .choices(['namespaced', 'cluster'])
        .default('namespaced'),
    )
    .addOption(durationOption('--timeout <duration>', 'limit for the components to become ready', '3m'))
    .option('--force', 'install although another operator acts on the same engines')
    .option('--dry-run', 'print the objects as YAML, apply nothing')
    .addOption(
      new Option('-o, --output <format>', 'print the objects, apply nothing').choices(['yaml', 'json']),
    )
    .action(async (options: InstallCommandOptions) => {
      done(await (await import('../actions/install.ts')).run(options));
    });
}
