/** The first words of runc and of the embedded cluster; the second of crun. */
const NO_SHELL = /"\/bin\/sh": stat \/bin\/sh: no such file|executable file [`"']\/bin\/sh[`"'] not found/i;

/** Whether what was said of a command that could not be run is that its container's image has no shell; pure. */
export function saysNoShell(said: string): boolean {
  return NO_SHELL.test(said);
}
