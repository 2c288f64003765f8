import { complain } from '../process/complain.ts';
import { endProcess } from '../process/end-process.ts';
import { EXIT } from '../process/exit-codes.ts';
import { flushed } from '../process/flushed.ts';
import { COMPONENTS } from './components.ts';
import { impliedComponent } from './implied-component.ts';

/** Runs one command line, prints errors for people, and ends the process with the command's exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  let code: number;
  try {
    code = await dispatch(argv);
  } catch (error) {
    code = await report(error);
  }
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  endProcess(code);
}

/** Prints an error; an unforeseen one with its stack, and never with code 1, which says that chaos found a weakness. */
async function report(error: unknown): Promise<number> {
  const [{ CommandError }, { errorLines }, { styleFor }] = await Promise.all([
    import('../services/errors.ts'),
    import('./print/error.ts'),
    import('./print/style.ts'),
  ]);
  if (!(error instanceof CommandError)) {
    console.error('turnsole: this is a mistake in turnsole; please report it:', error);
    return EXIT.couldNotRun;
  }
  complain(errorLines(error, styleFor(process.stderr)).join('\n'));
  return error.exitCode;
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const [command = impliedComponent(process.env) ?? '', ...rest] = withOneName(argv);
  const component = Object.hasOwn(COMPONENTS, command) ? COMPONENTS[command] : undefined;
  if (component !== undefined && !rest.some((argument) => argument === '--help' || argument === '-h')) {
    return (await component.load())(rest, process.env);
  }
  const { runProgram } = await import('./program.ts');
  return runProgram(argv);
}

/** `workflow controller` is the component `workflow-controller`, for those who look for it beside the commands about workflows. */
function withOneName(argv: readonly string[]): readonly string[] {
  const [group, command, ...rest] = argv;
  return group === 'workflow' && command === 'controller' ? ['workflow-controller', ...rest] : argv;
}

if (import.meta.main) await runCli(process.argv.slice(2));
