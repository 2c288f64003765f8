import { Argument, type Command } from 'commander';
import type { Shell } from '../actions/completion.ts';
import type { Done } from '../common-options.ts';

/** `turnsole completion`. */
export function addCompletion(program: Command, done: Done): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and names of faults in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .addHelpText('after', HOW_TO)
    .action(async (shell: Shell) => {
      done((await import('../actions/completion.ts')).printScript(shell));
    });
}

/**
 * What the scripts call.
 *
 * @param completed gives the command line that is completed, which this is no part of
 */
export function addComplete(program: Command, completed: () => Command, done: Done): void {
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      done((await import('../actions/completion.ts')).complete(completed(), words));
    });
}

const HOW_TO = `
Loads it for every new shell:
  bash  echo 'source <(turnsole completion bash)' >> ~/.bashrc
  zsh   echo 'source <(turnsole completion zsh)' >> ~/.zshrc
  fish  turnsole completion fish > ~/.config/fish/completions/turnsole.fish
  powershell  add to $PROFILE: turnsole completion powershell | Out-String | Invoke-Expression`;
