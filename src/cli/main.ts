import { CommandError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { impliedComponent } from './implied-component.ts';

/**
 * The entry points that run inside a cluster. They start often and take upstream's one-dash flags, so they bypass the
 * command-line parser of the others and load nothing but themselves.
 */
const COMPONENTS: Readonly<Record<string, () => Promise<{ run: ComponentMain }>>> = {
  operator: () => import('./commands/operator.ts'),
  runner: () => import('./commands/runner.ts'),
  experiment: () => import('./commands/experiment.ts'),
  helper: () => import('./commands/helper.ts'),
  webhook: () => import('./commands/webhook.ts'),
  exporter: () => import('./commands/exporter.ts'),
};

/** What a component's module offers: runs until done or signalled, resolves to the exit code. */
export type ComponentMain = (argv: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;

/** Runs one command line, prints errors for people, and ends the process with the command's exit code. */
export async function runCli(argv: readonly string[]): Promise<never> {
  let code: number;
  try {
    code = await dispatch(argv);
  } catch (error) {
    code = report(error);
  }
  // Not exitCode: idle keep-alive sockets and watches must not hold a finished command.
  process.exit(code);
}

/** Prints an error; one that nobody foresaw with its stack, and never as 1, which says that chaos found a weakness. */
function report(error: unknown): number {
  if (!(error instanceof CommandError)) {
    console.error('turnsole: this is a mistake in turnsole; please report it:', error);
    return EXIT.couldNotRun;
  }
  for (const line of error.message.split('\n')) console.error(`turnsole: ${line}`);
  return error.exitCode;
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const [command = impliedComponent(process.env) ?? '', ...rest] = argv;
  const component = Object.hasOwn(COMPONENTS, command) ? COMPONENTS[command] : undefined;
  if (component !== undefined && !rest.some((argument) => argument === '--help' || argument === '-h')) {
    return (await component()).run(rest, process.env);
  }
  const { runProgram } = await import('./program.ts');
  return runProgram(argv);
}

if (import.meta.main) await runCli(process.argv.slice(2));
