/** Commands that Markdown pages print for a shell. All of it is pure. */

/** One of them. */
export interface PrintedCommand {
  /** As a shell takes it: without its prompt, with all its lines. */
  readonly text: string;
  /** {@link bare} of it: by this it is named in tables. */
  readonly name: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

/** What a page prints. */
export interface Printed {
  readonly commands: readonly PrintedCommand[];
  /** Lines of fences that do not say what they hold, from 1. */
  readonly untagged: readonly number[];
}

const SHELLS = new Set(['sh', 'bash', 'shell', 'console', 'zsh']);
const FENCE = /^\s*(```+|~~~+)\s*([\w-]*)/;
const PROMPT = /^\s*\$ /;

/** Reads the fences of a page: of those of a shell each command, with what follows on further lines. */
export function printedCommands(page: string): Printed {
  const commands: PrintedCommand[] = [];
  const untagged: number[] = [];
  let open: { readonly mark: string; readonly isShell: boolean; readonly from: number } | undefined;
  const lines = page.split('\n');
  for (const [index, line] of lines.entries()) {
    const [, mark = '', language = ''] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (mark === '') continue;
      if (language === '') untagged.push(index + 1);
      open = { mark, isShell: SHELLS.has(language), from: index + 1 };
    } else if (mark.startsWith(open.mark) && language === '') {
      if (open.isShell) commands.push(...commandsOf(lines.slice(open.from, index), open.from + 1));
      open = undefined;
    }
  }
  return { commands, untagged };
}

/** The commands of one fence: where a line has a prompt, those without one are what is answered. */
function commandsOf(lines: readonly string[], first: number): PrintedCommand[] {
  const hasPrompts = lines.some((line) => PROMPT.test(line));
  const commands: PrintedCommand[] = [];
  let begun: { readonly parts: string[]; readonly line: number } | undefined;
  for (const [index, line] of lines.entries()) {
    if (begun === undefined) {
      if (hasPrompts ? !PROMPT.test(line) : withoutComment(line).trim() === '') continue;
      begun = { parts: [line.replace(PROMPT, '').trim()], line: first + index };
    } else {
      begun.parts.push(line.replace(/^\s*> /, '').trim());
    }
    if (/(?<!\\)(?:\\\\)*\\$/.test(withoutComment(line))) continue;
    commands.push({ text: begun.parts.join('\n'), name: bare(begun.parts), line: begun.line });
    begun = undefined;
  }
  return commands;
}

/** Lines of a command as one, without comments and without more blanks than are needed. */
function bare(parts: readonly string[]): string {
  const lines = parts.map((part) => withoutComment(part).replace(/\\$/, ' '));
  return lines.join('').replaceAll(/\s+/g, ' ').trim();
}

/** A line up to its comment: a `#` after a blank that no quotes are around. */
function withoutComment(line: string): string {
  let quote = '';
  for (const [index, letter] of [...line].entries()) {
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '#' && (index === 0 || /\s/.test(line[index - 1] ?? '')))
      return line.slice(0, index).trimEnd();
  }
  return line.trimEnd();
}
