/** Variable that names the injection in every process that a command starts, as for loads from the node. */
const VARIABLE = 'TURNSOLE_STRESS';

/** Said on standard output when the command is about to run. */
export const STARTED = 'turnsole-started';

/** Said on standard output when the command has ended, before the CPU times of the shell and of its children. */
const ENDED = 'turnsole-ended';

/**
 * The words that run a shell command in a container under the name of an injection; pure. It says {@link STARTED} first, or
 * ends with 127 when the program is not there. In the end it says {@link ENDED} and what `times` of the shell says.
 *
 * @param needed the program. @default the first word of the command, unless that is no plain name
 */
export function startWords(id: string, command: string, needed?: string): string[] {
  const program = needed ?? /^\s*([A-Za-z0-9_./-]+)(?:\s|$)/.exec(command)?.[1];
  const check =
    program === undefined
      ? ''
      : 'command -v "$2" > /dev/null 2>&1 || { echo "$2 is not in the image of the container" >&2; exit 127; }; ';
  // The shell that waits for the command begins with the variable, by which it is found and spared until it has reaped the command.
  const run = `echo ${STARTED}; /bin/sh -c "$1"; code=$?; echo; echo ${ENDED}; times; exit $code`;
  const script = `${check}export ${VARIABLE}="$3"; exec /bin/sh -c '${run}' sh "$1"`;
  return ['/bin/sh', '-c', script, 'sh', command, program ?? '', id];
}

/**
 * The words that kill every process of an injection in a container, wherever it was started from; pure. Ends with 0 when none is
 * left. Needs a shell and cat or grep; `kill` is the shell's own.
 *
 * Process 1 of a container is the application's, which need not reap what it did not start. So nothing may be orphaned: a process
 * is killed when it has no child (any more), which gives its parent the time to reap it. Only parents that do not reap, or that
 * go on to start others, are killed with their children after all.
 *
 * Children of the injection's processes belong to it as well, whatever their environment: the kernel shows none while a process
 * begins a program (execve), and some programs overwrite or empty it.
 */
export function reapWords(id: string): string[] {
  return ['/bin/sh', '-c', `${FOUND}${REAP}`, 'sh', `${VARIABLE}=${id}`];
}

/** CPU seconds that a command has used, by its last output; 0 when it could not report them. Pure. */
export function usedSeconds(said: string): number {
  const [, times = ''] = said.split(ENDED);
  return [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/**
 * The words that say how many processes of an injection are alive in a container, how many ticks of CPU time they and the children
 * that they have reaped have used, and how many KiB of memory they hold; pure.
 */
export function usageWords(id: string): string[] {
  return ['/bin/sh', '-c', `${FOUND}${USAGE}`, 'sh', `${VARIABLE}=${id}`];
}

/** The words that run a shell command that tidies up for an injection; it knows the injection as {@link startWords}' does. Pure. */
export function tidyWords(id: string, command: string): string[] {
  return ['/bin/sh', '-c', `${VARIABLE}="$1"; ${command}`, 'sh', id];
}

/** Prints the environ files of the processes with a variable. */
const FOUND = `
found() {
  if command -v grep > /dev/null 2>&1; then grep -lsF "$1" /proc/[0-9]*/environ
  else for file in /proc/[0-9]*/environ; do
    case "$(cat "$file" 2> /dev/null)" in *"$1"*) echo "$file" ;; esac
  done
  fi
}
`;

/**
 * Fields 14 to 17 of proc_pid_stat(5): time in user and kernel mode, of the process and of children that it has waited for. RssAnon and
 * RssShmem of proc_pid_status(5).
 */
const USAGE = `
alive=0 ticks=0 held=0
for file in $(found "$1"); do
  stat=
  read -r stat < "\${file%environ}stat"
  [ -z "$stat" ] && continue
  set -- "$1" \${stat##*") "}
  alive=$((alive + 1)) ticks=$((ticks + \${13} + \${14} + \${15} + \${16}))
  while read -r key value rest; do
    case "$key" in RssAnon: | RssShmem:) held=$((held + \${value%% *})) ;; esac
  done < "\${file%environ}status"
done 2> /dev/null
echo "$alive $ticks $held"
`;

/**
 * Rounds cost milliseconds. In the first 20 a parent is spared while a child of it is alive or unreaped; when that leaves nothing to
 * kill, the parent has a moment to reap. The end of a killed process takes a moment too, hence the other rounds.
 */
const REAP = `
look() {
  state= parent=
  while read -r key value rest; do
    case $key in
      State:) state=$value ;;
      PPid:) parent=$value; break ;;
    esac
  done < "$1"
} 2> /dev/null
round=0
while [ $round -lt 70 ]; do
  left=' '
  for file in $(found "$1"); do
    pid=\${file#/proc/}
    left="$left\${pid%/environ} "
  done
  [ "$left" = ' ' ] && exit 0
  parents=' '
  [ $round -lt 20 ] && for file in /proc/[0-9]*/status; do
    look "$file"
    case "$left" in *" $parent "*) ;; *) continue ;; esac
    parents="$parents$parent "
    pid=\${file#/proc/}
    pid=\${pid%/status}
    case "$state$left" in Z*|*" $pid "*) ;; *) left="$left$pid " ;; esac
  done
  killed=
  for pid in $left; do
    case "$parents" in *" $pid "*) ;; *) kill -9 "$pid" 2> /dev/null; killed=1 ;; esac
  done
  [ -z "$killed" ] && { sleep 0.05 || { sleep 1; round=$((round + 5)); }; } 2> /dev/null
  round=$((round + 1))
done
echo "processes$left do not end" >&2
exit 1
`;

/** Upstream's default ways to end a load kill every process of that program, the application's as well; pure. */
export function isBroadKill(command: string): boolean {
  return /find \/proc -name exe -lname/.test(command) || /^\s*killall\s+\S+\s*$/.test(command);
}
