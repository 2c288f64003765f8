/** The effect of a command on a machine: starts it anew, or switches it off. */
export type CommandKind = 'restart' | 'off';

const OFF = /\b(poweroff|halt)\b|\bshutdown\b(?!.*\s(-r|--reboot)\b)|\b(tel)?init\s+0\b/;
const RESTART = /\b(reboot|kexec)\b|\bshutdown\b.*\s(-r|--reboot)\b|\b(tel)?init\s+6\b/;

/** The effect of REBOOT_COMMAND, as far as it can be read; undefined for a command of the user's own. Pure. */
export function commandKind(command: string): CommandKind | undefined {
  if (OFF.test(command)) return 'off';
  return RESTART.test(command) ? 'restart' : undefined;
}
