import type { Command } from 'commander';
import type { ListOptions } from '../../actions/remote/list.ts';
import type { RotateKeyOptions } from '../../actions/remote/rotate-key.ts';
import type { LoginOptions } from '../../actions/remote/sign-in.ts';
import type { Done } from '../../common-options.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import type { ViewName } from '../../remote/views.ts';
import { addExperimentCommands } from './experiment.ts';
import { addEnvironment, addGitOps, addHub, addInfra, addProbe, addToken, addWebhook } from './kept.ts';
import { remoteOptions, shownOptions } from './options.ts';

/** Nouns that can be listed, and the words for them. */
const NOUNS: Readonly<Record<Exclude<ViewName, 'experiment' | 'run'>, string>> = {
  environment: 'environments of the project',
  infra: 'infrastructures: clusters and their agents',
  probe: 'probes that the project keeps',
  hub: 'hubs of faults and experiments',
  webhook: 'webhooks: addresses that events of the project are sent to (Turnsole servers)',
  audit: 'who has changed what, the last 100 changes (Turnsole servers)',
};

/** `turnsole remote`. */
export function addRemote(program: Command, done: Done): void {
  const remote = program
    .command('remote')
    .description("work with a control plane: this project's, or one of ChaosCenter");
  addSignIn(remote, done);
  for (const [noun, words] of Object.entries(NOUNS)) {
    const command = remote.command(noun).description(words);
    listCommand(command, noun as ViewName, done);
    MORE[noun]?.(command, done);
  }
  addGitOps(remote.command('gitops').description('experiments of the project in a Git repository'), done);
  addToken(remote.command('token').description('your tokens for programs'), done);
  const projects = remote.command('project').description('your projects');
  shownOptions(projects.command('list').description('list them')).action(async (options: ListOptions) => {
    done(await (await import('../../actions/remote/list.ts')).projects(options));
  });
  remoteOptions(projects.command('create').description('make one that you own').argument('<name>')).action(
    async (name: string, options: RemoteOptions) => {
      done(await (await import('../../actions/remote/list.ts')).makeProject(name, options));
    },
  );
  const users = remote.command('user').description('users, for administrators');
  shownOptions(users.command('list').description('list them')).action(async (options: ListOptions) => {
    done(await (await import('../../actions/remote/list.ts')).users(options));
  });
  const experiments = remote.command('experiment').description('experiments of the project');
  listCommand(experiments, 'experiment', done);
  const runs = remote.command('run').description('runs of experiments');
  listCommand(runs, 'run', done);
  addExperimentCommands(experiments, runs, done);
  addHalt(remote, done);
}

/** What a noun has besides its list. */
const MORE: Readonly<Record<string, (command: Command, done: Done) => void>> = {
  environment: addEnvironment,
  infra: (command, done) => {
    addInfra(command, done);
    addRotateKey(command, done);
  },
  probe: addProbe,
  hub: addHub,
  webhook: addWebhook,
};

function addRotateKey(infras: Command, done: Done): void {
  remoteOptions(
    infras
      .command('rotate-key')
      .description("replace an agent's key: the former one is worth nothing at once"),
  )
    .argument('<name>', 'name or ID of the infrastructure')
    .option(
      '--no-hand-over',
      'do not give the new key to the agent that is connected: it may be somebody else',
    )
    .action(async (name: string, options: RotateKeyOptions) => {
      done(await (await import('../../actions/remote/rotate-key.ts')).rotateKey(name, options));
    });
}

function addSignIn(remote: Command, done: Done): void {
  remote
    .command('login')
    .description('sign in; the password comes from TURNSOLE_PASSWORD, the terminal, or standard input')
    .argument('<url>', 'address of the control plane')
    .option('--username <name>', 'who signs in', 'admin')
    .option('--token <token>', 'an API token in place of name and password')
    .action(async (url: string, options: LoginOptions) => {
      done(await (await import('../../actions/remote/sign-in.ts')).login(url, options));
    });
  remote
    .command('logout')
    .description('end the session, and forget its token')
    .argument('[url]', 'address of the control plane (default: the last one signed in at)')
    .action(async (url: string | undefined) => {
      done(await (await import('../../actions/remote/sign-in.ts')).logout(url));
    });
}

/** The lever of a whole project; servers of ChaosCenter have none. */
function addHalt(remote: Command, done: Done): void {
  shownOptions(remote.command('halt'))
    .description('stop all chaos of the project in all its clusters, until "resume" (Turnsole servers)')
    .requiredOption('--reason <text>', 'why, for everybody who asks')
    .action(async (options: ListOptions & { readonly reason: string }) => {
      done(await (await import('../../actions/remote/halt.ts')).halt('halt', options));
    });
  for (const [name, what, words] of [
    ['resume', 'resume', 'allow chaos again'],
    ['halts', 'show', 'what was reverted in each cluster, and what is left'],
  ] as const) {
    shownOptions(remote.command(name).description(words)).action(async (options: ListOptions) => {
      done(await (await import('../../actions/remote/halt.ts')).halt(what, options));
    });
  }
}

function listCommand(parent: Command, noun: ViewName, done: Done): void {
  shownOptions(parent.command('list').description('list them')).action(async (options: ListOptions) => {
    done(await (await import('../../actions/remote/list.ts')).list(noun, options));
  });
}
