import { type Command, Option } from 'commander';
import type { RunOptions } from '../actions/run.ts';
import {
  buildOption,
  contextOption,
  type Done,
  durationOption,
  imageOption,
  isolationOption,
  kubeconfigOption,
  namespaceOption,
  nodesOption,
  plainTextOption,
} from '../common-options.ts';
import { addReportedConfigOptions, isGivenTo } from '../config-options.ts';
import { addProposedOptions } from '../proposed-options.ts';

/** `turnsole run`. */
export function addRun(program: Command, done: Done): void {
  addReportedConfigOptions(addProposedOptions(plainTextOption(program.command('run'))))
    .description(
      'apply manifests, run their ChaosEngines, ChaosSchedules and Workflows and print the verdict; without --kubeconfig on an embedded cluster',
    )
    .argument(
      '[file|dir...]',
      'manifests (YAML or JSON), files or folders; default: what turnsole.yaml names',
    )
    .option('-R, --recursive', 'read folders with all below them')
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
    .option(
      '--artifacts <dir>',
      'keep reports, logs, Events, objects and timelines in this folder, whatever happens',
    )
    .option('--require-checks', 'refuse engines with an experiment that no probe judges')
    .option('--no-timeline', 'do not print the timeline at the end')
    .option('--cleanup', 'with --kubeconfig: delete the objects that this run created')
    .option('--keep', 'on the embedded cluster: keep it after the run, until Ctrl-C')
    .option('--ui', 'show the run in the browser as it happens; the page stays after the run, until Ctrl-C')
    .addOption(imageOption())
    .addOption(buildOption())
    .addOption(nodesOption())
    .addOption(isolationOption())
    .option('-v, --verbose', "print the components' logs as well")
    .option('-q, --quiet', 'print only the verdict table')
    .addHelpText(
      'after',
      `
Exit codes: 0 all verdicts Pass and all workflows Succeeded, 1 not so, 2 bad input (nothing was injected), 3 could not run,
4 dry runs (spec.dryRun) found nothing against a run: nothing was injected, nothing has passed,
5 an application was not in its steady state before the fault, so that nothing was injected into it; the rest passed,
130 stopped by Ctrl-C and reverted.

A Workflow is run with the engines that its steps make; a CronWorkflow once, now.

Examples:
  turnsole run --fault pod-delete --target deployment/api --probe http://api:8080/ k8s/
  turnsole run chaos/                              embedded cluster, all manifests of the folder
  turnsole run chaos/ --ui                         the same, with its picture in the browser
  turnsole run app.yaml chaos.yaml --junit out.xml
  turnsole run k8s/ --build ./Dockerfile=shop/api:dev --fault pod-delete --target deployment/api
  turnsole run chaos.yaml --kubeconfig ~/.kube/config --namespace shop`,
    )
    .action(async (paths: string[], options: RunOptions, command: Command) => {
      done(await (await import('../actions/run.ts')).run(paths, options, isGivenTo(command)));
    });
}
