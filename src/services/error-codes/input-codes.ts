import type { ErrorRow } from '../../chaos/errors/row.ts';

/** Codes for problems of manifests and engines; each stands behind its line. Settings and targets have those of results. */
export const INPUT_CODES = {
  FILE_UNREADABLE: {
    means: 'a file or folder cannot be read, or holds no manifest',
    todo: 'check path and permissions; manifests end with .yaml, .yml or .json',
  },
  MANIFEST_UNREADABLE: {
    means: 'a document is no YAML, or no Kubernetes object',
    todo: 'the line says where; every object needs apiVersion, kind and metadata.name',
  },
  KIND_UNKNOWN: {
    means: 'there is no such kind, or no such version of it, in this cluster',
    todo: 'correct apiVersion or kind, or apply the CustomResourceDefinition first',
  },
  CHECK_MISSING: {
    means:
      '`--require-checks` was given, and an experiment has no probe, or one before the fault only: nothing would judge what users see',
    todo: 'add a probe to the entry of the engine, or leave out the option',
  },
  FIELD_INVALID: {
    means: 'the value of a field breaks a rule of its kind',
    todo: 'the message says what was found and what is expected',
  },
  FIELD_UNKNOWN: {
    means: 'the kind has no such field there, and one with a similar name, or at another place',
    todo: 'take the name or the place that the message proposes, or remove the field',
  },
  FIELD_DROPPED: {
    means: 'the cluster would drop the field: its definition of the kind is an older one',
    todo: 'install the definitions of this release (`turnsole install`)',
  },
  OBJECT_TWICE: {
    means: 'an engine stands twice in the files, or a schedule is in the cluster already',
    todo: 'give one of them another name, or delete the schedule',
  },
  NOTHING_TO_RUN: {
    means: 'the files have no engine or schedule that would run',
    todo: 'add one, by `turnsole init` or `--fault` for an application without any, or set engineState or scheduleState to active',
  },
  WORKFLOW_INVALID: {
    means: 'a workflow or a template of workflows breaks a rule, so that nothing of it would start',
    todo: 'correct the field that the message names; `turnsole workflow lint FILE` lists all such problems',
  },
  REFUSED_BY_CLUSTER: {
    means: 'the API server or one of its webhooks refuses the object',
    todo: 'the message has its words; permissions of the user, the namespace, rules of the kind',
  },
  NAMESPACE_MISSING: {
    means: 'the namespace of the engine does not exist',
    todo: 'create it, or name another one in metadata.namespace or by `--namespace`',
  },
  EXPERIMENT_MISSING: {
    means: 'the ChaosExperiment of an entry is neither in the files nor in the cluster',
    todo: 'apply it, or correct the name',
  },
  ACCOUNT_MISSING: {
    means: 'the service account of the engine does not exist',
    todo: 'create it with the permissions of the experiments (`turnsole install --faults`)',
  },
  PERMISSION: {
    means: 'the service account lacks permissions that a fault or the runner needs',
    todo: 'grant what the message lists; `turnsole faults show NAME` lists all',
  },
  NODE: {
    means: 'the machine of an embedded cluster lacks what the fault needs',
    todo: 'the message names what; run as root, install the tool, or use a cluster with `--kubeconfig`',
  },
  DEPENDENCY_MISSING: {
    means: 'a ConfigMap, a Secret or an image that the run needs is not there',
    todo: 'create what the message names',
  },
  POD_REFUSED: {
    means:
      'the cluster would refuse a pod of the run: Pod Security, a policy, a webhook, a quota or a limit of the namespace',
    todo: 'the message has its words and what to allow; it was asked by a dry run, which stores nothing',
  },
  RUN_UNDER_WAY: {
    means: 'a run of this engine is under way',
    todo: 'wait for it, or stop it: `turnsole halt`, or spec.engineState: stop',
  },
  REPORT_FILE: {
    means: 'a report could not be written to the file that an option names',
    todo: 'name a file in a folder that can be written',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
export type InputCode = keyof typeof INPUT_CODES;
