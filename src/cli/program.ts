import { Command, CommanderError, Option } from 'commander';
import { CommandError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import {
  parseDurationOption,
  parseImageOption,
  parseNamesOption,
  parseNodesOption,
  parsePortOption,
  parseReplicasOption,
} from './options.ts';
import { outputWritten, surviveFailingOutput } from './signals.ts';
import { addRuntimeOptions } from './up/runtime-options.ts';
import { packageVersion } from './version.ts';

/** Builds the whole command line (definitions only) and runs it; subcommands load when they are called. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  surviveFailingOutput();
  let code = 0;
  const program = buildProgram((outcome) => {
    code = outcome;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw await explained(error);
    // --help and --version also arrive here, with exit code 0; anything else is a wrong command line.
    return error.exitCode === 0 ? 0 : EXIT.badInput;
  } finally {
    await outputWritten();
  }
  return code;
}

/** A cluster that fails or refuses in the middle of a command is told in its own words, without a stack. */
async function explained(error: unknown): Promise<unknown> {
  const [{ ApiError, ConnectionError }, { WaitTimeoutError }] = await Promise.all([
    import('../kube/client/errors.ts'),
    import('../kube/runtime/wait.ts'),
  ]);
  const isTold = [ApiError, ConnectionError, WaitTimeoutError].some((kind) => error instanceof kind);
  return isTold && error instanceof Error
    ? new CommandError(error.message, EXIT.couldNotRun, { cause: error })
    : error;
}

/** The command line as commander sees it; `done` receives the exit code of the subcommand that ran. */
export function buildProgram(done: Done): Command {
  const program = new Command('turnsole')
    .description('Chaos engineering for Kubernetes, LitmusChaos compatible, with or without a cluster.')
    .version(packageVersion(), '-V, --version')
    .showHelpAfterError('(turnsole --help shows what there is)')
    .exitOverride();

  addRun(program, done);
  addPlan(program, done);
  addTimeline(program, done);
  addStatus(program, done);
  addHalt(program, done);
  addResume(program, done);
  addUp(program, done);
  addDown(program, done);
  addNode(program, done);
  addInstall(program, done);
  addUninstall(program, done);
  addFaults(program, done);
  for (const [name, description] of COMPONENT_HELP) {
    program.command(name).description(description).allowUnknownOption().action(unreachable);
  }
  return program;
}

/** Receives the exit code of the subcommand that ran. */
export type Done = (code: number) => void;

function addRun(program: Command, done: Done): void {
  program
    .command('run')
    .description(
      'apply manifests, run their ChaosEngines and ChaosSchedules and print the verdict; without --kubeconfig on an embedded cluster',
    )
    .argument('<file|dir...>', 'manifests (YAML or JSON), files or folders')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .addOption(
      new Option('--schedule <mode>', 'ChaosSchedules: run the next occurrence at once, or at the real times')
        .choices(['next', 'real'])
        .default('next'),
    )
    .addOption(durationOption('--timeout <duration>', 'limit of the whole run, e.g. 10m', '30m'))
    .addOption(durationOption('--ready-timeout <duration>', 'limit for the workloads to become ready', '2m'))
    .option('--junit <file>', 'write a JUnit XML report')
    .option('--json <file>', 'write a JSON report')
    .option('--no-timeline', 'do not print the timeline at the end')
    .option('--cleanup', 'with --kubeconfig: delete the objects that this run created')
    .option('--keep', 'on the embedded cluster: keep it after the run, until Ctrl-C')
    .addOption(imageOption())
    .addOption(nodesOption())
    .addOption(isolationOption())
    .option('-v, --verbose', "print the components' logs as well")
    .option('-q, --quiet', 'print only the verdict table')
    .addHelpText(
      'after',
      `
Exit codes: 0 all verdicts Pass, 1 a verdict is not Pass, 2 bad input (nothing was injected), 3 could not run,
4 dry runs (spec.dryRun) found nothing against a run: nothing was injected, nothing has passed,
130 stopped by Ctrl-C and reverted.

Examples:
  turnsole run chaos/                              embedded cluster, all manifests of the folder
  turnsole run app.yaml chaos.yaml --junit out.xml
  turnsole run chaos.yaml --kubeconfig ~/.kube/config --namespace shop`,
    )
    .action(async (paths: string[], options: import('./commands/run.ts').RunOptions) => {
      done(await (await import('./commands/run.ts')).run(paths, options));
    });
}

function addPlan(program: Command, done: Done): void {
  program
    .command('plan')
    .description('say what a run would hit and what is missing; nothing is injected')
    .argument('<file|dir...>', 'manifests (YAML or JSON), files or folders')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .addOption(durationOption('--ready-timeout <duration>', 'limit for the workloads to become ready', '2m'))
    .addOption(imageOption())
    .addOption(nodesOption())
    .addOption(isolationOption())
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      `
Says for each engine: order and expected duration, what its service account may not do (asked as the account itself
where a token of it may be had), config maps, secrets and images that are missing, targets, share of each workload and
of the nodes, disruption budgets that would be violated, and other chaos on the same targets. docs/plan.md has the
shape of -o json. spec.dryRun of an engine does the same by the operator.

Exit codes: 0 would run (warnings may stand beside it), 2 bad input: a run would be refused, 3 could not run on this
machine, or no cluster.

Examples:
  turnsole plan chaos/                             on an embedded cluster with the manifests applied
  turnsole plan chaos.yaml --kubeconfig ~/.kube/config -o json | jq '.engines[].warnings'`,
    )
    .action(async (paths: string[], options: import('./commands/plan.ts').PlanOptions) => {
      done(await (await import('./commands/plan.ts')).run(paths, options));
    });
}

function addTimeline(program: Command, done: Done): void {
  program
    .command('timeline')
    .description(
      'print what was done in the runs of an engine: every step with time, actor and object; also when the engine is gone',
    )
    .argument('<engine|result>', 'name of the ChaosEngine, or of one of its ChaosResults')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .option('--all-runs', 'all runs that are recorded, not only the last one')
    .addOption(
      new Option('-o, --output <format>', 'output format; html is a page of its own')
        .choices(['text', 'json', 'html'])
        .default('text'),
    )
    .option('-f, --file <file>', 'write to a file instead of standard output')
    .action(async (engine: string, options: import('./commands/timeline.ts').TimelineOptions) => {
      done(await (await import('./commands/timeline.ts')).run(engine, options));
    });
}

function addStatus(program: Command, done: Done): void {
  program
    .command('status')
    .description('say whether chaos is halted, what each engine does with all verdicts, and what is in force')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option('-n, --namespace <name>', 'only this namespace; default: all')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (options: import('./commands/status.ts').StatusOptions) => {
      done(await (await import('./commands/status.ts')).run(options));
    });
}

function addHalt(program: Command, done: Done): void {
  program
    .command('halt')
    .description(
      'the safety lever: stop and revert all running chaos, and let none begin until `turnsole resume`',
    )
    .option('--reason <text>', 'why, for those who find their chaos halted', '')
    .addOption(new Option('-n, --namespace <name>', 'only this namespace').conflicts('all'))
    .option('--all', 'the whole cluster (default)')
    .addOption(durationOption('--timeout <duration>', 'how long to wait until all is reverted', '3m'))
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing is in force any more, 1 something is left and named, 3 no cluster.',
    )
    .action(async (options: import('./commands/halt.ts').HaltOptions) => {
      done(await (await import('./commands/halt.ts')).run(options));
    });
}

function addResume(program: Command, done: Done): void {
  program
    .command('resume')
    .description('release the safety lever: chaos that was created meanwhile begins')
    .addOption(new Option('-n, --namespace <name>', 'only this namespace').conflicts('all'))
    .option('--all', 'the whole cluster (default)')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .action(async (options: import('./commands/resume.ts').ResumeOptions) => {
      done(await (await import('./commands/resume.ts')).run(options));
    });
}

function addUp(program: Command, done: Done): void {
  addRuntimeOptions(program.command('up'))
    .description('start an embedded cluster that stays, for kubectl and any other Kubernetes client')
    .option('--name <name>', 'name of the cluster, to have several', 'default')
    .option('--detach', 'return as soon as the cluster is ready')
    .option('--kubeconfig <file>', 'where to write the kubeconfig')
    .option(
      '--data <dir>',
      'keep the cluster in this folder: objects, certificates, tokens, claims survive a stop, a crash and kill -9',
    )
    .option(
      '--port <port>',
      'loopback port of the API server (0 = with --data the one of the last time, else any free one)',
      parsePortOption,
      0,
    )
    .addOption(imageOption())
    .addOption(
      new Option(
        '--nodes <n>',
        'number of nodes (default: 1; with --data as many as the last time)',
      ).argParser(parseNodesOption),
    )
    .addOption(isolationOption())
    .option(
      '--no-operator',
      'start none: for an operator of your own; the built-in one only gives way to an operator that holds the Lease chaos-operator.lock',
    )
    .option('-v, --verbose', "print the components' logs as well")
    .action(async (options: import('./commands/up.ts').UpOptions) => {
      done(await (await import('./commands/up.ts')).run(options));
    });
}

function addDown(program: Command, done: Done): void {
  program
    .command('down')
    .description('stop a cluster that `turnsole up` started')
    .option('--name <name>', 'name of the cluster', 'default')
    .option('--all', 'stop every cluster of this user')
    .action(async (options: import('./commands/down.ts').DownOptions) => {
      done(await (await import('./commands/down.ts')).run(options));
    });
}

function addNode(program: Command, done: Done): void {
  const node = program.command('node').description('stop or start a node of an embedded cluster');
  node
    .command('stop')
    .description('stop its agent: the node becomes NotReady, its pods go on running')
    .argument('<node>', 'name of the node')
    .option('--power-off', 'as if the machine had lost its power: its pods end, too')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .action(async (name: string, options: import('./commands/node.ts').NodeOptions) => {
      done(await (await import('./commands/node.ts')).run('stop', name, options));
    });
  node
    .command('start')
    .description('start it again')
    .argument('<node>', 'name of the node')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .action(async (name: string, options: import('./commands/node.ts').NodeOptions) => {
      done(await (await import('./commands/node.ts')).run('start', name, options));
    });
}

function addInstall(program: Command, done: Done): void {
  program
    .command('install')
    .description('install into a cluster, or bring what is installed to this release; running engines go on')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option('-n, --namespace <name>', 'namespace of the components (default: litmus)')
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
    .option('--faults <names>', 'faults to install with their service accounts, or "all"', parseNamesOption)
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
    .action(async (options: import('./commands/install.ts').InstallCommandOptions) => {
      done(await (await import('./commands/install.ts')).run(options));
    });
}

function addUninstall(program: Command, done: Done): void {
  program
    .command('uninstall')
    .description('stop and revert all chaos, then remove everything that install has made')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option('-n, --namespace <name>', 'namespace of the components', 'litmus')
    .option('--keep-crds', 'keep the definitions of the chaos kinds, with all engines and results')
    .addOption(durationOption('--timeout <duration>', 'limit for chaos to be reverted', '3m'))
    .option('-y, --yes', 'yes, delete engines, schedules and results as well')
    .action(async (options: import('./commands/uninstall.ts').UninstallOptions) => {
      done(await (await import('./commands/uninstall.ts')).run(options));
    });
}

function addFaults(program: Command, done: Done): void {
  const faults = program
    .command('faults')
    .description('the faults there are: list, describe, write a new one');
  const output = (): Option =>
    new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text');
  faults
    .command('list')
    .description('every fault with a sentence')
    .addOption(output())
    .action(async (options: Parameters<typeof import('./commands/faults.ts').list>[0]) => {
      done(await (await import('./commands/faults.ts')).list(options));
    });
  faults
    .command('show')
    .description('what a fault does to what, its settings with form and default, its permissions')
    .argument('<name>', 'name of the fault')
    .option('--all', 'describe the common settings as well')
    .addOption(output())
    .action(async (name: string, options: Parameters<typeof import('./commands/faults.ts').show>[1]) => {
      done(await (await import('./commands/faults.ts')).show(name, options));
    });
  faults
    .command('chart')
    .description('print ChaosExperiment, service account and roles of faults, to be applied or kept')
    .argument('<name...>', 'names of faults')
    .option('-n, --namespace <name>', 'namespace of the engines', 'default')
    .option('--image <name>', 'image of the experiments (default: turnsole/turnsole of this version)')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .action(async (names: string[], options: Parameters<typeof import('./commands/faults.ts').chart>[1]) => {
      done(await (await import('./commands/faults.ts')).chart(names, options));
    });
  faults
    .command('new')
    .description('write a fault and its test into a checkout of the project, and register it')
    .argument('<name>', 'its name, such as pod-freeze')
    .addOption(
      new Option('--targets <kind>', 'what it hits').choices(['pods', 'nodes', 'containers']).default('pods'),
    )
    .addOption(
      new Option('--shape <shape>', 'repeated in rounds, or held and reverted')
        .choices(['pulse', 'sustained'])
        .default('sustained'),
    )
    .option('--dir <folder>', 'root of the checkout', '.')
    .action(async (name: string, options: import('./faults/scaffold-options.ts').ScaffoldOptions) => {
      done(await (await import('./commands/faults.ts')).scaffold(name, options));
    });
}

/** In-cluster entry points: dispatched before this parser is loaded, listed here for --help. */
const COMPONENT_HELP: readonly (readonly [string, string])[] = [
  [
    'operator',
    'in-cluster entry point: reconciles ChaosEngines (flags -leader-elect, -metrics-bind-address, ' +
      '-health-probe-bind-address; environment WATCH_NAMESPACE, CHAOS_RUNNER_IMAGE)',
  ],
  [
    'runner',
    'in-cluster entry point: carries out one ChaosEngine (environment CHAOSENGINE, EXPERIMENT_LIST, …)',
  ],
  ['experiment', 'in-cluster entry point: runs one experiment (flag -name <experiment>)'],
  [
    'webhook',
    'in-cluster entry point: judges ChaosEngines, ChaosExperiments and ChaosSchedules before they are stored',
  ],
  [
    'exporter',
    'in-cluster entry point: serves the metrics of one ChaosEngine on :8080/metrics (environment CHAOSENGINE; flag -kubeconfig)',
  ],
  ['helper', "in-cluster entry point: acts on a target's node for an experiment (flag -name <fault>)"],
];

function unreachable(): never {
  throw new Error('components are dispatched before the command line is parsed');
}

function kubeconfigOption(): Option {
  return new Option('--kubeconfig <file>', 'use the cluster of this kubeconfig');
}

function contextOption(): Option {
  return new Option('--context <name>', 'context of the kubeconfig; default: its current one');
}

function namespaceOption(): Option {
  return new Option('-n, --namespace <name>', 'namespace of objects that name none');
}

/** An option with a time, whose default is shown as it would be written. */
function durationOption(flags: string, description: string, given: string): Option {
  return new Option(flags, description)
    .argParser(parseDurationOption)
    .default(parseDurationOption(given), given);
}

function imageOption(): Option {
  return new Option(
    '--image <name=command>',
    'embedded cluster: let an image name stand for a local command (repeatable)',
  ).argParser(parseImageOption);
}

function isolationOption(): Option {
  return new Option(
    '--isolation <mode>',
    'embedded cluster: pods with networks, processes, files and limits of their own, which takes root on Linux; auto: where that is possible, full: or else do not start',
  )
    .choices(['auto', 'none', 'full'])
    .default('auto');
}

function nodesOption(): Option {
  return new Option('--nodes <n>', 'embedded cluster: number of nodes')
    .argParser(parseNodesOption)
    .default(1);
}
