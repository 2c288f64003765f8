/** Completion in shells: a script that asks each time the Tab key is pressed, and the answers that it gets. */
import { RootCommand } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { faultRegistry } from '../../faults/index.ts';
import { EXIT } from '../../process/exit-codes.ts';

/** Shells that there is a script for. */
export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** Prints the script, which asks `turnsole complete`. */
export function printScript(shell: Shell): number {
  new RootCommand().setup('turnsole', 'turnsole', shell);
  return EXIT.pass;
}

/** The answer that leaves it to the shell: it completes names of files. */
const NAMES_OF_FILES = ':0';

/** The library's command beside `turnsole completion`, which users do not see. */
const OWN_SCRIPT = 'completion-script';

/**
 * Prints what may follow on a command line, a line each with its description after a tab, then `:` and a number for the script.
 *
 * @param program the command line that is completed; changed by this
 * @param words those behind `turnsole`; the last one is to be completed, and may be empty
 */
export function complete(program: Command, words: readonly string[]): number {
  if (wantsFiles(program, words)) {
    console.log(NAMES_OF_FILES);
    return EXIT.pass;
  }
  const completions = tab(program, { completionCommandName: OWN_SCRIPT });
  completions.commands.delete(OWN_SCRIPT);
  for (const command of ['faults show', 'faults chart']) {
    const [argument] = completions.commands.get(command)?.arguments.values() ?? [];
    if (argument === undefined) continue;
    argument.handler = (found) => {
      for (const name of faultRegistry.keys()) found(name, '');
    };
  }
  completions.parse([...words]);
  return EXIT.pass;
}

const FILES = /<(file|dir|folder|path)/;

/** Whether the last word is the name of a file: of an option that takes one, or of an argument. */
function wantsFiles(program: Command, words: readonly string[]): boolean {
  const [previous, current = ''] = [words.at(-2), words.at(-1)];
  let command = program;
  for (const word of words.slice(0, -1)) command = subcommand(command, word) ?? command;
  if (previous?.startsWith('-') === true) {
    const option = command.options.find(({ long, short }) => long === previous || short === previous);
    if (option?.required === true) return FILES.test(option.flags) && option.argChoices === undefined;
  }
  const [argument] = command.registeredArguments;
  return !current.startsWith('-') && argument !== undefined && FILES.test(`<${argument.name()}`);
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word));
}
