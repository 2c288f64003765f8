/** Variable that names the injection in every process that a command starts, as for loads from the node. */
const VARIABLE = 'TURNSOLE_STRESS';

/** Said on standard output when the command is about to run. */
export const STARTED = 'turnsole-started';

/**
 * The words that run a shell command in a container under the name of an injection; pure. It says {@link STARTED} first, or
 * ends with 127 when the program is not there.
 *
 * @param needed the program. @default the first word of the command, unless that is no plain name
 */
export function startWords(id: string, command: string, needed?: string): string[] {
  const program = needed ?? /^\s*([A-Za-z0-9_./-]+)(?:\s|$)/.exec(command)?.[1];
  const check =
    program === undefined
      ? ''
      : 'command -v "$2" > /dev/null 2>&1 || { echo "$2 is not in the image of the container" >&2; exit 127; }; ';
  const script = `${check}export ${VARIABLE}="$3"; echo ${STARTED}; exec /bin/sh -c "$1"`;
  return ['/bin/sh', '-c', script, 'sh', command, program ?? '', id];
}

/**
 * The words that kill every process of an injection in a container, wherever it was started from; pure. Ends with 0 when none is
 * left. Needs a shell and cat or grep; `kill` is the shell's own.
 */
export function reapWords(id: string): string[] {
  return ['/bin/sh', '-c', REAP, 'sh', `${VARIABLE}=${id}`];
}

/** The words that run a shell command that tidies up for an injection; it knows the injection as {@link startWords}' does. Pure. */
export function tidyWords(id: string, command: string): string[] {
  return ['/bin/sh', '-c', `${VARIABLE}="$1"; ${command}`, 'sh', id];
}

/** The end of a killed process takes a moment, hence the rounds; each of them costs milliseconds. */
const REAP = `
found() {
  if command -v grep > /dev/null 2>&1; then grep -lsF "$1" /proc/[0-9]*/environ
  else for file in /proc/[0-9]*/environ; do
    case "$(cat "$file" 2> /dev/null)" in *"$1"*) echo "$file" ;; esac
  done
  fi
}
round=0
while [ $round -lt 50 ]; do
  left=
  for file in $(found "$1"); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" 2> /dev/null
    left="$left \${pid%/environ}"
  done
  [ -z "$left" ] && exit 0
  round=$((round + 1))
done
echo "processes$left do not end" >&2
exit 1
`;

/** Upstream's default ways to end a load kill every process of that program, the application's as well; pure. */
export function isBroadKill(command: string): boolean {
  return /find \/proc -name exe -lname/.test(command) || /^\s*killall\s+\S+\s*$/.test(command);
}
