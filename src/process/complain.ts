/**
 * Prints what went wrong for people, on standard error: each line begins with the program, as `turnsole: ` or `turnsole experiment: `.
 *
 * @param program subcommand; absent: the command itself
 */
export function complain(text: string, program?: string): void {
  const name = program === undefined ? 'turnsole' : `turnsole ${program}`;
  for (const line of text.split('\n')) process.stderr.write(`${name}: ${line}\n`);
}
