/** A command line equivalent to the page. */
interface CommandLine {
  readonly does: string;
  readonly line: string;
}

/** Words with which command lines on the server's machine reach the cluster that it watches. */
interface Terminal {
  /** The begin of a command line. */
  readonly turnsole: string;
  /** Variables before the names of other programs. */
  readonly variables: string;
  /** Options that choose the cluster. */
  readonly cluster: string;
}

/** Command lines for a run of the cluster that the server watches, for a terminal on its machine. Pure. */
export function clusterCommands(
  {
    kind,
    namespace,
    name,
  }: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  },
  { turnsole, variables, cluster }: Terminal,
): CommandLine[] {
  const isWorkflow = kind === 'Workflow';
  const object = isWorkflow ? `workflow/${quoted(name)}` : quoted(name);
  const place = [`-n ${quoted(namespace)}`, ...(cluster === '' ? [] : [cluster])].join(' ');
  const stop: CommandLine[] = isWorkflow
    ? [{ does: 'stop it and revert', line: `${turnsole} workflow stop ${quoted(name)} ${place}` }]
    : kind === 'ChaosEngine'
      ? [
          {
            does: 'stop it and revert, with kubectl',
            line: `${variables}kubectl patch chaosengine ${quoted(name)} ${place} --type merge -p '{"spec":{"engineState":"stop"}}'`,
          },
        ]
      : [];
  return [
    { does: 'every step with its time', line: `${turnsole} timeline ${object} ${place}` },
    { does: 'the time axis as a file', line: `${turnsole} timeline ${object} ${place} -o html -f run.html` },
    { does: 'what is in force', line: `${turnsole} status ${place}` },
    ...stop,
    {
      does: 'stop and revert all chaos of the namespace',
      line: `${turnsole} halt ${place} --reason "halted by hand"`,
    },
  ];
}

/** The command that other commands for a server need to have been run before. Pure. */
export function signInCommand(address: string, username: string): CommandLine {
  return {
    does: 'sign in, once on each machine; it asks for your password',
    line: `npx turnsole remote login ${quoted(address)} --username ${quoted(username)}`,
  };
}

/** Command lines for a run of a project. Pure. */
export function projectCommands({
  project,
  run,
  experiment,
  address,
}: {
  readonly project: string;
  readonly run: string;
  readonly experiment: string;
  /** Address of the server. */
  readonly address: string;
}): CommandLine[] {
  const where = `--server ${quoted(address)} --project ${quoted(project)}`;
  return [
    {
      does: 'wait for its end; the exit code is the verdict',
      line: `npx turnsole remote run wait ${quoted(run)} ${where}`,
    },
    { does: 'the logs of its pods', line: `npx turnsole remote run logs ${quoted(run)} ${where}` },
    {
      does: 'run the experiment again',
      line: `npx turnsole remote experiment run ${quoted(experiment)} --wait ${where}`,
    },
    {
      does: 'stop its runs and revert',
      line: `npx turnsole remote experiment stop ${quoted(experiment)} ${where}`,
    },
    { does: 'its manifest', line: `npx turnsole remote experiment show ${quoted(experiment)} ${where}` },
    {
      does: 'its report for a CI system; set TURNSOLE_TOKEN to an API token first (Settings, Your account)',
      line: `curl -H "Authorization: Bearer $TURNSOLE_TOKEN" -o run.xml ${quoted(`${address}/export/run/${encodeURIComponent(project)}/${encodeURIComponent(run)}/junit`)}`,
    },
  ];
}

/** A word quoted for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
