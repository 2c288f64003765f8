import { type Command, Option } from 'commander';
import type { PlanOptions } from '../actions/plan.ts';
import {
  contextOption,
  type Done,
  durationOption,
  imageOption,
  isolationOption,
  kubeconfigOption,
  namespaceOption,
  nodesOption,
} from '../common-options.ts';
import { addConfigOptions, isGivenTo } from '../config-options.ts';
import { addProposedOptions } from '../proposed-options.ts';

/** `turnsole plan`. */
export function addPlan(program: Command, done: Done): void {
  addConfigOptions(addProposedOptions(program.command('plan')))
    .description('say what a run would hit and what is missing; nothing is injected')
    .argument(
      '[file|dir...]',
      'manifests (YAML or JSON), files or folders; default: what turnsole.yaml names',
    )
    .option('-R, --recursive', 'read folders with all below them')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .addOption(durationOption('--ready-timeout <duration>', 'limit for the workloads to become ready', '2m'))
    .option('--require-checks', 'count an experiment that no probe judges as a problem')
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
    .action(async (paths: string[], options: PlanOptions, command: Command) => {
      done(await (await import('../actions/plan.ts')).run(paths, options, isGivenTo(command)));
    });
}
