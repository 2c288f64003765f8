import type { Command } from 'commander';
import type { WaitOptions } from '../../actions/remote/experiment.ts';
import { type Done, durationOption } from '../../common-options.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { remoteOptions } from './options.ts';

/** The commands of `turnsole remote experiment` and `turnsole remote run` besides listing. */
export function addExperimentCommands(experiments: Command, runs: Command, done: Done): void {
  remoteOptions(experiments.command('save'))
    .description(
      'save a Workflow, CronWorkflow, ChaosEngine or ChaosSchedule as an experiment, or as a new revision of it',
    )
    .argument('<file>', 'manifest')
    .option(
      '--infra <name>',
      'name or ID of the infrastructure that it runs on (default: the same as before)',
    )
    .action(async (file: string, options: RemoteOptions & { readonly infra?: string }) => {
      done(await (await import('../../actions/remote/experiment.ts')).save(file, options));
    });
  remoteOptions(experiments.command('run'))
    .description('run an experiment now')
    .argument('<name>', 'name or ID')
    .option('--wait', 'wait for its end; the exit code is the verdict')
    .addOption(durationOption('--timeout <duration>', 'limit of --wait', '1h'))
    .action(async (name: string, options: WaitOptions) => {
      done(await (await import('../../actions/remote/experiment.ts')).run(name, options));
    });
  for (const [command, words] of [
    ['show', 'print its manifest'],
    ['stop', 'stop its runs'],
    ['remove', 'delete it with its runs'],
  ] as const) {
    remoteOptions(experiments.command(command))
      .description(words)
      .argument('<name>', 'name or ID')
      .action(async (name: string, options: RemoteOptions) => {
        done(await (await import('../../actions/remote/experiment.ts'))[command](name, options));
      });
  }
  remoteOptions(runs.command('wait'))
    .description('wait for the end of a run; the exit code is the verdict')
    .argument('<run>', 'ID of the run')
    .addOption(durationOption('--timeout <duration>', 'how long', '1h'))
    .action(async (run: string, options: WaitOptions) => {
      done(await (await import('../../actions/remote/experiment.ts')).wait(run, options));
    });
  remoteOptions(runs.command('logs'))
    .description("print the logs of a run's pods, from its agent")
    .argument('<run>', 'ID of the run')
    .action(async (run: string, options: RemoteOptions) => {
      done(await (await import('../../actions/remote/experiment.ts')).logs(run, options));
    });
}
