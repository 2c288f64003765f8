import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../src/process/package-root.ts';
import type { TurnsoleProcess } from '../support/turnsole.ts';

/** The experiment that everybody begins with. */
export const QUICKSTART = join(PACKAGE_ROOT, 'examples', 'quickstart');

/** The link that a command prints: it signs one browser in, once. */
export async function linkOf(command: TurnsoleProcess): Promise<string> {
  const line = await command.line(/\/enter\?key=/);
  const [link] = /http:\S+\/enter\?key=\S+/.exec(line) ?? [];
  if (link === undefined) throw new Error(`no link in: ${line}`);
  return link;
}
