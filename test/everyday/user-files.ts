/** Test files that may come out otherwise for another user. */
import { reaching } from './imports.ts';

/** Asks who runs it or what he may do, gives files away, enters namespaces, or starts the command, which does all of this. */
const LOOKS_AT_THE_USER =
  /\bgete?uid\b|\bCapEff\b|\bchown(?:Sync)?\(|'(?:setpriv|unshare|nsenter|runuser)'|\bturnsole\.js\b/;

/** Those of some test files that look at the user who runs them, themselves or by anything that they import. */
export function userFiles(files: readonly string[]): string[] {
  return reaching(files, ({ text }) => LOOKS_AT_THE_USER.test(text));
}
