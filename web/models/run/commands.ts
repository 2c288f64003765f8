/** A command line equivalent to the page. */
export interface CommandLine {
  readonly does: string;
  readonly line: string;
}

/** Command lines for a run of the cluster that the server watches. Pure. */
export function clusterCommands({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): CommandLine[] {
  const isWorkflow = kind === 'Workflow';
  const object = isWorkflow ? `workflow/${quoted(name)}` : quoted(name);
  const place = `-n ${quoted(namespace)}`;
  const stop: CommandLine[] = isWorkflow
    ? [{ does: 'stop it and revert', line: `turnsole workflow stop ${quoted(name)} ${place}` }]
    : kind === 'ChaosEngine'
      ? [
          {
            does: 'stop it and revert',
            line: `kubectl patch chaosengine ${quoted(name)} ${place} --type merge -p '{"spec":{"engineState":"stop"}}'`,
          },
        ]
      : [];
  return [
    { does: 'every step with its time', line: `turnsole timeline ${object} ${place}` },
    { does: 'the time axis as a file', line: `turnsole timeline ${object} ${place} -o html -f run.html` },
    { does: 'what is in force', line: `turnsole status ${place}` },
    ...stop,
    { does: 'stop and revert all chaos of the namespace', line: `turnsole halt ${place} --reason "…"` },
  ];
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
      line: `turnsole remote run wait ${quoted(run)} ${where}`,
    },
    { does: 'the logs of its pods', line: `turnsole remote run logs ${quoted(run)} ${where}` },
    {
      does: 'run the experiment again',
      line: `turnsole remote experiment run ${quoted(experiment)} --wait ${where}`,
    },
    {
      does: 'stop its runs and revert',
      line: `turnsole remote experiment stop ${quoted(experiment)} ${where}`,
    },
    { does: 'its manifest', line: `turnsole remote experiment show ${quoted(experiment)} ${where}` },
    {
      does: 'its report for a CI system',
      line: `curl -H "Authorization: Bearer $TURNSOLE_TOKEN" -o run.xml ${quoted(`${address}/export/run/${encodeURIComponent(project)}/${encodeURIComponent(run)}/junit`)}`,
    },
  ];
}

/** A word quoted for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
