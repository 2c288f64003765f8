import type { ErrorRow } from '../../chaos/errors/row.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';

interface CommandErrorRow extends ErrorRow {
  readonly exitCode: ExitCode;
}

/** Codes of commands that end without having done what was asked; each stands behind the last line of the message. */
export const COMMAND_ERRORS = {
  INPUT_REFUSED: {
    means: 'manifests have problems; each line has a code of its own',
    todo: 'correct all of them: nothing was applied or injected',
    exitCode: EXIT.badInput,
  },
  OPTION_INVALID: {
    means: 'the value of an option or argument cannot be used',
    todo: 'the message says what is expected',
    exitCode: EXIT.badInput,
  },
  NOT_FOUND: {
    means: 'there is no engine, result, workflow, node, namespace or fault of that name',
    todo: 'check name, namespace and cluster',
    exitCode: EXIT.badInput,
  },
  WORKFLOW_REFUSED: {
    means: 'a workflow is not created or changed: validation, the cluster or its state speaks against it',
    todo: 'the message has the reason; `turnsole workflow lint FILE` lists everything that is wrong with a manifest',
    exitCode: EXIT.badInput,
  },
  NOT_EMBEDDED: {
    means: 'the node is none of an embedded cluster, and does not obey `turnsole node`',
    todo: 'use the tools of that cluster',
    exitCode: EXIT.badInput,
  },
  CONSENT_MISSING: {
    means: 'engines, schedules or results would be deleted, or runs stopped',
    todo: 'say --yes if that is meant',
    exitCode: EXIT.badInput,
  },
  TIMELINE_FILE: {
    means: 'the timeline could not be written to the file that --file names',
    todo: 'name a file in a folder that can be written',
    exitCode: EXIT.badInput,
  },
  SCAFFOLD_REFUSED: {
    means: '`turnsole faults new` would overwrite files, or is not in a checkout',
    todo: 'go to the root of a checkout, and choose a name that is free',
    exitCode: EXIT.badInput,
  },
  FAULT_REFUSED: {
    means: 'a module of a fault of your own cannot be loaded, or is no fault; nothing was started',
    todo: 'the message has its file and what is wrong in it ([writing a fault](writing-a-fault.md#without-a-checkout))',
    exitCode: EXIT.badInput,
  },
  IMAGE_REFUSED: {
    means:
      'an image cannot be used as it is: no such name, no such platform, a form that is not known, content that is wrong or would do harm',
    todo: 'the message has the image, or its layer, and the reason',
    exitCode: EXIT.badInput,
  },
  IMAGE_FAILED: {
    means: 'an image could not be brought: registry, credentials, program, or the disk of this machine',
    todo: 'the message has the reason; what has come is gone on with when the command is repeated',
    exitCode: EXIT.couldNotRun,
  },
  CLUSTER_UNUSABLE: {
    means: 'the cluster of the kubeconfig does not answer, or does not let you in',
    todo: '`kubectl --kubeconfig … version` should answer; check context, network and credentials',
    exitCode: EXIT.couldNotRun,
  },
  CHAOS_NOT_INSTALLED: {
    means: 'the cluster that chaos as code was given serves no ChaosEngines',
    todo: '`turnsole install` brings what is missing; a cluster of `@turnsole/cluster` is started with the options of `withChaos`',
    exitCode: EXIT.couldNotRun,
  },
  CLUSTER_FAILED: {
    means: 'the cluster refused a request in the middle of a command, or answered no more',
    todo: 'the message has its words; repeat the command when the cause is gone',
    exitCode: EXIT.couldNotRun,
  },
  EMBEDDED_CLUSTER_FAILED: {
    means: 'the embedded cluster could not be started',
    todo: 'the message says why: a port in use, a data folder that is locked or damaged, a missing permission',
    exitCode: EXIT.couldNotRun,
  },
  CLUSTER_EXISTS: {
    means: 'a cluster of that name runs already',
    todo: 'stop it with `turnsole down`, or choose another --name',
    exitCode: EXIT.couldNotRun,
  },
  CLUSTER_NOT_STOPPED: {
    means: 'the process of a cluster did not end in time',
    todo: 'end it as the message says; its pods end with it',
    exitCode: EXIT.couldNotRun,
  },
  FILE_NOT_WRITTEN: {
    means: 'a report, a kubeconfig, a temporary file or the list of running clusters could not be written',
    todo: 'make room on the disk, or name another file; the verdict was printed before',
    exitCode: EXIT.couldNotRun,
  },
  MACHINE_UNFIT: {
    means: 'the machine of an embedded cluster lacks what a fault needs; nothing was applied',
    todo: 'the message names what; run as root, install the tool, or use a cluster with `--kubeconfig`',
    exitCode: EXIT.couldNotRun,
  },
  BUILD_FAILED: {
    means: 'a command under `build` in turnsole.yaml failed; no cluster was started',
    todo: 'what it printed stands above the message; run it by itself',
    exitCode: EXIT.couldNotRun,
  },
  IMAGES_MISSING: {
    means:
      'pods of the manifests have images that the embedded cluster cannot pull or run, and has no command for; nothing was applied',
    todo: 'the message says why of each, and has the lines for turnsole.yaml; `turnsole init` proposes commands',
    exitCode: EXIT.couldNotRun,
  },
  WORKLOAD_NOT_READY: {
    means: 'a workload of the manifests cannot start, or was not ready in time; no chaos has begun',
    todo: 'below the message stand states, exit codes, Warnings and the last lines of its pods; raise --ready-timeout when they only need longer',
    exitCode: EXIT.couldNotRun,
  },
  WORKFLOW_DELETED: {
    means: 'a workflow was deleted before its end, so that it has no outcome',
    todo: 'submit or run it again when that was not meant',
    exitCode: EXIT.couldNotRun,
  },
  RUN_TIMEOUT: {
    means: 'the run was not finished within --timeout; what was injected is reverted',
    todo: 'raise --timeout; `turnsole plan` says how long the run takes at least',
    exitCode: EXIT.couldNotRun,
  },
  ANOTHER_OPERATOR: {
    means: 'another operator acts on the same engines, and each would run twice',
    todo: 'remove it, scale it to 0, or install with --watch-namespace or --force; connect with --namespace of that one',
    exitCode: EXIT.couldNotRun,
  },
  INSTALL_REFUSED: {
    means: 'the cluster does not know or refuses an object of the installation',
    todo: 'the message has its words; install again when the cause is gone, which completes it',
    exitCode: EXIT.couldNotRun,
  },
  DEPLOYMENT_NOT_READY: {
    means: 'a Deployment of the installation was not ready in time',
    todo: 'see its pods: `kubectl --namespace litmus describe pods`; then install again',
    exitCode: EXIT.couldNotRun,
  },
  REMOTE_REFUSED: {
    means: 'the control plane refuses what a command asks of it',
    todo: 'the message has its words; check names, roles in the project, and what it says of fields',
    exitCode: EXIT.badInput,
  },
  CHAOS_HALTED: {
    means: 'chaos is halted at the control plane, and nothing was started',
    todo: 'the message says who, and why; `turnsole remote resume` when that is meant',
    exitCode: EXIT.couldNotRun,
  },
  REMOTE_UNREACHABLE: {
    means: 'the control plane does not answer',
    todo: 'check address, network and certificate (NODE_EXTRA_CA_CERTS names authorities of your own)',
    exitCode: EXIT.couldNotRun,
  },
  NOT_SIGNED_IN: {
    means: 'you are not signed in at the control plane, or the sign-in is over',
    todo: '`turnsole remote login URL`, or TURNSOLE_SERVER and TURNSOLE_TOKEN in the environment',
    exitCode: EXIT.couldNotRun,
  },
  AGENT_NOT_CONNECTED: {
    means: 'the agent of a cluster was not connected to the control plane in time',
    todo: 'see the log of its pod (label app=subscriber) in the cluster, and whether that pod reaches the address of the server; connect again when the cause is gone',
    exitCode: EXIT.couldNotRun,
  },
  BACKUP_REFUSED: {
    means: 'a file is no whole backup of a server, or the database that it is to fill is not empty',
    todo: 'name a file that `turnsole backup` has written to its end, and a new data folder or database',
    exitCode: EXIT.badInput,
  },
  DATABASE_UNUSABLE: {
    means: 'the database of the server cannot be reached, opened, or used by this version',
    todo: 'the message says why: address, password, permissions, a newer version; a backup is restored with `turnsole restore`',
    exitCode: EXIT.couldNotRun,
  },
  SERVER_NOT_STARTED: {
    means: 'the server cannot listen at its address',
    todo: 'choose another one with --listen, or stop the program that has it',
    exitCode: EXIT.couldNotRun,
  },
  STOPPED: {
    means:
      'the command was stopped by a signal, or as its output could not be written any more; what was injected is reverted',
    todo: 'repeat it when that is meant',
    exitCode: EXIT.aborted,
  },
} as const satisfies Readonly<Record<string, CommandErrorRow>>;
export type CommandErrorCode = keyof typeof COMMAND_ERRORS;
