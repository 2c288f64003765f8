import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Asks for a password on the terminal without showing it; without a terminal it is the first line of standard input. */
export async function askPassword(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}
