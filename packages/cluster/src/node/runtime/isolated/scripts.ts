import { commandLine, shellWord } from '@turnsole/kube/text/shell';
import { CONTAINER_ID_VARIABLE } from '../orphaned-processes.ts';

/** What keeps the namespaces of a pod. */
export interface HolderPlan {
  /** Undefined where the pod has the host's. */
  readonly hostname?: string;
  /** Lines for `ip -batch`. */
  readonly network: readonly string[];
  /** File for `mount -a -T`, for what all containers share. */
  readonly fstab?: string;
  /** Whether it is the first process of a process namespace, which gets orphaned processes. */
  readonly first: boolean;
}

/** Word on the status pipe when everything is prepared and the program is about to run. */
export const READY = 'R';

/**
 * The shell program of a pod's holder: sets up the namespaces, reports that, and waits for the end of its input;
 * pure. It runs in the new namespaces already.
 */
export function holderScript({ hostname, network, fstab, first }: HolderPlan): string {
  const steps = [
    ...(hostname === undefined ? [] : [nameHost(shellWord(hostname))]),
    ...(fstab === undefined ? [] : [`mount -a -T ${shellWord(fstab)}`]),
    ...(network.length === 0 ? [] : [`ip -batch - <<'EOF'\n${network.join('\n')}\nEOF\n`]),
  ];
  return [
    'trap "" HUP INT',
    ...steps.map(
      (step) => `${step.trimEnd()}${step.includes('<<') ? '\n[ $? = 0 ] || exit 1' : ' || exit 1'}`,
    ),
    `echo ${READY}`,
    // As the first process, it has to wait with a child in front, for a shell then takes note of all that end.
    first ? 'cat > /dev/null' : 'while read -r line; do :; done',
    'exit 0',
  ].join('\n');
}

/** Only root of the machine may write the file; root of a namespace has to ask the kernel. */
function nameHost(name: string): string {
  return `{ echo ${name} > /proc/sys/kernel/hostname; } 2>/dev/null || hostname ${name}`;
}

/** How a command is run in a container. */
export interface CommandPlan {
  readonly command: readonly string[];
  readonly workingDirectory: string;
  /** Words in front of the command, such as those of setpriv. */
  readonly prefix: readonly string[];
  /** Variables that the programs before the command must not have, or whose names a shell would lose. */
  readonly oddVariables: Readonly<Record<string, string>>;
  /** Whether a shell is process 1 and the program its child, for which the kernel carries out signals that nothing handles. @default false */
  readonly isChildOfInit?: boolean;
  /** The words that run a program of the host in the container. @default its name, as the host's root is the container's */
  readonly toolWords?: (tool: string) => readonly string[];
  /** PATH of the command, where that is not the script's own. @default the script's own */
  readonly searchPath?: string;
  /** The command that is looked for, where `command` is what makes a terminal for it. @default `command` */
  readonly wanted?: readonly string[];
}

/** How a container is started. */
interface InitPlan extends CommandPlan {
  readonly fstab: string;
  /** Folder from which its mounts name lower folders of overlays. */
  readonly lowerDirectory: string;
  /** Where the new root is mounted. */
  readonly root: string;
  /** Folder in the new root that keeps the old one for a moment. */
  readonly oldRoot: string;
  /** Files to write 0 into, to join cgroups; none where there are none. */
  readonly joinFiles: readonly string[];
}

/** Descriptors of a shell have one digit: there are five from here on, and at most four hierarchies to join. */
const FIRST_JOIN = 5;

/**
 * The shell program that starts a container: it leaves with the exit code of its child, which joins the cgroups, mounts, changes
 * the root and becomes the main process; pure. The shell itself has been made to start its children in the container's process
 * namespace (pid_namespaces(7)), so the main process is process 1 there, as under any container runtime.
 *
 * Joining a cgroup takes the kernel up to 20 ms, so a child makes the mounts meanwhile. Its pivot_root changes the root of this shell
 * too, and cgroups are read-only in that root: the shell opens the files to join before. Status pipe: descriptor 3.
 *
 * Names of lower folders are short ones of a folder. The newer call for mounts takes no more than 255 characters of an option, hence the older one.
 */
export function initScript(plan: InitPlan): string {
  const { fstab, lowerDirectory, root, oldRoot, joinFiles } = plan;
  const leave = commandLine([...toolOf(plan, 'umount'), '-l', `/${oldRoot}`]);
  const files = joinFiles.map((file, index) => ({ file: shellWord(file), descriptor: FIRST_JOIN + index }));
  const opened = files.map(({ file, descriptor }) => `${descriptor}> ${file}`).join(' ');
  const closed = files.map(({ descriptor }) => `${descriptor}>&-`).join(' ');
  const joined = files.map(({ descriptor }) => `echo 0 >&${descriptor}`).join(' && ') || ':';
  return `
exec 4>&2 2>/dev/null
(
  exec 2>&4 4>&-
  {
    {
      cd ${shellWord(lowerDirectory)} && text=$(LIBMOUNT_FORCE_MOUNT2=always mount -a -T ${shellWord(fstab)} 2>&1) &&
        cd ${shellWord(root)} && text=$(pivot_root . ${shellWord(oldRoot)} 2>&1) && text=$(${leave} 2>&1)
      [ $? = 0 ] || { echo "mount $text" >&3; exit 1; }
    } ${closed} &
    ${joined}
  } ${opened} || { echo "cgroup ${commandLine(joinFiles)}" >&3; exit 1; }
  wait $! || exit 1
  cd /
${commandScript(plan)}
)
exit $?
`;
}

/** How a command is run in a running container. */
interface ExecPlan extends CommandPlan {
  readonly joinFiles: readonly string[];
  /** The container's main process. */
  readonly pid: number;
  /** Options of nsenter, for the namespaces that are not the cluster's own. */
  readonly namespaces: readonly string[];
}

/** The shell program that runs a command in a running container: joins its cgroups, enters its namespaces; pure. */
export function execScript(plan: ExecPlan): string {
  const inside = commandLine([...toolOf(plan, 'sh'), '-c', commandScript(plan), 'sh']);
  return `
for file in ${commandLine(plan.joinFiles)}; do echo 0 > "$file" || exit 126; done
exec nsenter -t ${plan.pid} ${plan.namespaces.join(' ')} -- ${inside}
`;
}

/** Variable with the value that {@link CONTAINER_ID_VARIABLE} has in the program, and not in what starts it. */
export const CHILD_MARK = 'TURNSOLE_CHILD_ID';

/** The umask of a container's processes, as the OCI runtimes set it, and not this process's own. */
const UMASK = '0022';

function toolOf({ toolWords }: Pick<CommandPlan, 'toolWords'>, tool: string): readonly string[] {
  return toolWords?.(tool) ?? [tool === 'sh' ? '/bin/sh' : tool];
}

/** Changes the folder, says whether the command can be run, and runs it. */
function commandScript(plan: CommandPlan): string {
  const { command, workingDirectory, prefix, oddVariables, isChildOfInit = false, toolWords } = plan;
  const folder = shellWord(workingDirectory);
  const odd = Object.entries(oddVariables).map(([name, value]) => `${name}=${value}`);
  const own = [...(odd.length === 0 ? [] : [...toolOf(plan, 'env'), ...odd]), ...command];
  // The shell has the identity of the program, so that both may signal one another.
  const child = (): string[] => [...toolOf(plan, 'sh'), '-c', childScript(own, toolOf(plan, 'env')), 'sh'];
  const words = [...asTool(plan, prefix), ...(isChildOfInit ? child() : own)];
  const enter = toolWords === undefined ? ` || { mkdir -p ${folder} && cd ${folder}; }` : '';
  return `
umask ${UMASK}
[ -z "\${${CHILD_MARK}-}" ] || { export ${CONTAINER_ID_VARIABLE}="$${CHILD_MARK}"; unset ${CHILD_MARK}; }
cd ${folder} 2>/dev/null${enter} || { echo folder >&3; exit 127; }
${checkScript(plan)}
unset OLDPWD
echo ${READY} >&3
exec 3>&-
exec ${commandLine(words)}`;
}

function asTool(plan: CommandPlan, [tool, ...words]: readonly string[]): readonly string[] {
  return tool === undefined ? [] : [...toolOf(plan, tool), ...words];
}

/** Says why a command cannot be run, and ends. A shell's own commands are none of an image, so that has no `command -v`. */
function checkScript({ command, wanted = command, searchPath }: CommandPlan): string {
  const [program = ''] = wanted;
  const name = shellWord(program);
  if (program.includes('/')) {
    return `[ -e ${name} ] || { echo missing >&3; exit 127; }
[ -f ${name} ] && [ -x ${name} ] || { echo forbidden >&3; exit 126; }`;
  }
  if (searchPath === undefined) return `command -v ${name} > /dev/null || { echo unknown >&3; exit 127; }`;
  return `found=
for folder in ${searchPath.split(':').filter(Boolean).map(shellWord).join(' ')}; do
  [ -f "$folder"/${name} ] && [ -x "$folder"/${name} ] && { found=1; break; }
done
[ -n "$found" ] || { echo unknown >&3; exit 127; }`;
}

/** Signals that the first process hands on to the program. */
const HANDED_ON = ['HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'ALRM', 'TERM', 'CONT', 'WINCH'];

/**
 * Runs a program as the child of this shell, which hands signals on and ends with the program's exit code, 128 + n for signal n. One that
 * comes before the shell knows its child is handed on when it does: without a handler, the kernel would drop it. A shell starts what it runs
 * in the background without input and deaf to INT and QUIT: both are given back.
 */
function childScript(words: readonly string[], env: readonly string[]): string {
  const traps = HANDED_ON.map((signal) => `trap 'hand_on ${signal}' ${signal}`);
  return `
child= early=
hand_on() {
  if [ -n "$child" ]; then kill -s "$1" "$child" 2>/dev/null; else early="$early $1"; fi
}
${traps.join('\n')}
exec 4<&0
${commandLine(env)} --default-signal=INT,QUIT ${commandLine(words)} <&4 4<&- &
child=$!
for signal in $early; do hand_on "$signal"; done
exec 4<&- </dev/null
while :; do
  wait $child
  code=$?
  [ $code -gt 128 ] || exit $code
  kill -0 $child 2>/dev/null && continue
  wait $child 2>/dev/null
  again=$?
  [ $again = 127 ] || code=$again
  exit $code
done`;
}

/** Why a command could not be run, from the word on its status pipe, in the words of the OCI runtimes; pure. */
export function explainStatus(status: string, command: readonly string[], workingDirectory: string): string {
  const [program = ''] = command;
  const what = `exec: ${JSON.stringify(program)}`;
  const [word = '', ...rest] = status.trim().split(' ');
  const detail = rest.join(' ');
  switch (word) {
    case 'missing':
      return `${what}: stat ${program}: no such file or directory (working directory ${workingDirectory})`;
    case 'forbidden':
      return `${what}: permission denied (working directory ${workingDirectory})`;
    case 'unknown':
      return `${what}: executable file not found in $PATH`;
    case 'folder':
      return `${what}: working directory ${workingDirectory} not found`;
    case 'mount':
      return `cannot make the container's file system: ${detail}`;
    case 'cgroup':
      return `cannot enter the container's cgroup ${detail}`;
    default:
      return `${what}: it ended before the command could be run`;
  }
}
