import { Command, CommanderError } from 'commander';
import { EXIT } from '../process/exit-codes.ts';
import { packageVersion } from '../process/version.ts';
import { CommandError } from '../services/errors.ts';
import { addBackup } from './commands/backup.ts';
import { addComplete, addCompletion } from './commands/completion.ts';
import { addConnect } from './commands/connect.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDown } from './commands/down.ts';
import { addExplain } from './commands/explain.ts';
import { addFaults } from './commands/faults.ts';
import { addHalt } from './commands/halt.ts';
import { addImage } from './commands/image.ts';
import { addInit } from './commands/init.ts';
import { addInstall } from './commands/install.ts';
import { addLogs } from './commands/logs.ts';
import { addNew } from './commands/new.ts';
import { addNode } from './commands/node.ts';
import { addPlan } from './commands/plan.ts';
import { addRemote } from './commands/remote/index.ts';
import { addResume } from './commands/resume.ts';
import { addRun } from './commands/run.ts';
import { addServer } from './commands/server.ts';
import { addStatus } from './commands/status.ts';
import { addTimeline } from './commands/timeline.ts';
import { addUi } from './commands/ui.ts';
import { addUninstall } from './commands/uninstall.ts';
import { addUp } from './commands/up.ts';
import { addWorkflow } from './commands/workflow/index.ts';
import type { Done } from './common-options.ts';
import { COMPONENTS } from './components.ts';
import { outputWritten, surviveFailingOutput } from './signals.ts';

/** Builds the whole command line (definitions only) and runs it; subcommands load when they are called. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const isOutputLost = surviveFailingOutput();
  let code = 0;
  const done: Done = (outcome) => {
    code = outcome;
  };
  const program = buildProgram(done);
  addComplete(program, () => buildProgram(done), done);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw await explained(error);
    // --help and --version also arrive here, with exit code 0; anything else is a wrong command line.
    code = error.exitCode === 0 ? 0 : EXIT.badInput;
  } finally {
    await outputWritten();
  }
  // A script that reads a file which was cut short must not go on as if it were whole.
  return code === 0 && isOutputLost() ? EXIT.couldNotRun : code;
}

/** When a cluster or this machine fails or refuses in the middle of a command, the user sees the error's message, without a stack. */
async function explained(error: unknown): Promise<unknown> {
  const [{ ApiError, ConnectionError }, { WaitTimeoutError }, { TemporaryFolderError }] = await Promise.all([
    import('@turnsole/kube/client/errors'),
    import('@turnsole/kube/runtime/wait'),
    import('@turnsole/kube/base/temporary-folder'),
  ]);
  if (error instanceof TemporaryFolderError)
    return new CommandError(error.message, 'FILE_NOT_WRITTEN', { cause: error });
  const isReadable = [ApiError, ConnectionError, WaitTimeoutError].some((kind) => error instanceof kind);
  return isReadable && error instanceof Error
    ? new CommandError(error.message, 'CLUSTER_FAILED', { cause: error })
    : error;
}

/**
 * The subcommands by the headings of --help, in its order. Their files are definitions only: what a command does is loaded when it is called.
 */
const COMMANDS = {
  'Chaos:': [
    addInit,
    addNew,
    addRun,
    addPlan,
    addTimeline,
    addLogs,
    addStatus,
    addHalt,
    addResume,
    addFaults,
    addExplain,
    addDoctor,
    addWorkflow,
  ],
  'Clusters:': [addUp, addDown, addNode, addImage, addInstall, addUninstall],
  'Page and control plane:': [addUi, addServer, addConnect, addRemote, addBackup],
  'Shell:': [addCompletion],
};
const COMPONENTS_HEADING = 'Programs that pods start:';

/** The command line as commander sees it; `done` receives the exit code of the subcommand that ran. */
export function buildProgram(done: Done): Command {
  const program = new Command('turnsole')
    .description('Chaos engineering for Kubernetes, LitmusChaos compatible, with or without a cluster.')
    .version(packageVersion(), '-V, --version')
    .showHelpAfterError('(turnsole --help shows what there is)')
    .exitOverride();

  for (const [heading, adders] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of adders) add(program, done);
  }
  program.helpCommand('help [command]', 'what a command does and takes');
  program.commandsGroup(COMPONENTS_HEADING);
  for (const [name, { help, settings }] of Object.entries(COMPONENTS)) {
    program
      .command(name)
      .summary(help)
      .description(settings === undefined ? help : `${help}: ${settings}`)
      .allowUnknownOption()
      .action(unreachable);
  }
  return program;
}

function unreachable(): never {
  throw new Error('components are dispatched before the command line is parsed');
}
