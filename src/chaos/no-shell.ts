/** The first words of runc and of the embedded cluster; the second of crun. */
const NO_SHELL = /"\/bin\/sh": stat \/bin\/sh: no such file|executable file [`"']\/bin\/sh[`"'] not found/i;

/** Whether what was said of a command that could not be run is that its container's image has no shell; pure. */
export function saysNoShell(said: string): boolean {
  return NO_SHELL.test(said);
}

/** The container that a command would be run in. */
interface ShellPlace {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly container?: string | undefined;
}

/** Says so of a fault, and which other one takes nothing of the image; pure. */
export function noShellText({ namespace, name, container }: ShellPlace, instead: string): string {
  return (
    `cannot run commands in container ${container} of pod ${namespace}/${name}: its image has no /bin/sh; ` +
    `${instead} does the same from the node and takes nothing of the image`
  );
}
