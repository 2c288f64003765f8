/** The document that loads an instance, unless a run names one of its own. */

/** Names under which it is known: upstream's, and the one that upstream's charts have. */
const BUILT_IN: readonly string[] = [
  'LitmusChaos-AWS-SSM-Docs.yml',
  'Litmus-AWS-SSM-Docs-For-EC2-CPU-Hog.yml',
];

/** Whether a path means the document that is built in: then its parameters are sent with the command. Pure. */
export function isBuiltIn(path: string): boolean {
  return BUILT_IN.includes(path);
}

/** Bash: it needs stress-ng, which it installs where it may. A command that is cancelled ends its processes; they end by themselves in time. */
const SCRIPT = `set -u
if ! command -v stress-ng >/dev/null 2>&1; then
  if [ "{{ InstallDependencies }}" = "True" ]; then
    if command -v apt-get >/dev/null 2>&1; then apt-get update -y && DEBIAN_FRONTEND=noninteractive apt-get install -y stress-ng
    elif command -v dnf >/dev/null 2>&1; then dnf install -y stress-ng
    elif command -v yum >/dev/null 2>&1; then amazon-linux-extras install -y epel 2>/dev/null; yum install -y stress-ng
    elif command -v zypper >/dev/null 2>&1; then zypper --non-interactive install stress-ng
    fi
  fi
fi
if ! command -v stress-ng >/dev/null 2>&1; then
  echo "stress-ng is not installed on this instance, and could not be" >&2
  exit 1
fi
trap 'kill 0' TERM INT
stress-ng --cpu "{{ CPU }}" --vm "{{ Workers }}" --vm-bytes "{{ Percent }}%" --timeout "{{ Duration }}s" &
wait $!
`;

/** The document in JSON, which is YAML as well. Pure. */
export function builtInDocument(): string {
  const parameter = (description: string, pattern = '^[0-9]+$') => ({
    type: 'String',
    description,
    allowedPattern: pattern,
  });
  return JSON.stringify(
    {
      schemaVersion: '2.2',
      description: 'Loads CPU and memory of an instance for a time.',
      parameters: {
        Duration: parameter('How long, in seconds.'),
        CPU: parameter('Processes that load CPUs; 0: one for each.'),
        Workers: parameter('Processes that take memory.'),
        Percent: parameter('Share of the memory that they take together.'),
        InstallDependencies: parameter(
          'Whether stress-ng is installed where it is missing.',
          '^(True|False)$',
        ),
      },
      mainSteps: [
        {
          action: 'aws:runShellScript',
          name: 'load',
          precondition: { StringEquals: ['platformType', 'Linux'] },
          inputs: { timeoutSeconds: '172800', runCommand: SCRIPT.split('\n') },
        },
      ],
    },
    undefined,
    2,
  );
}
