import { type Command, Option } from 'commander';
import type { CreateEnvironmentOptions } from '../../actions/remote/environment.ts';
import type { EnableGitOpsOptions } from '../../actions/remote/gitops.ts';
import type { AddHubOptions } from '../../actions/remote/hub.ts';
import type { CreateTokenOptions } from '../../actions/remote/token.ts';
import type { AddWebhookOptions, ChangeWebhookOptions } from '../../actions/remote/webhook.ts';
import type { Done } from '../../common-options.ts';
import { parseDaysOption } from '../../options.ts';
import { GIT_PASSWORD, GIT_TOKEN } from '../../remote/git-credentials.ts';
import type { AnswerOptions } from '../../remote/place.ts';
import { remoteOptions, shownOptions } from './options.ts';

const WEBHOOK_EVENTS = ['run-ended', 'verdict-changed', 'infra-lost', 'halted'];
const WEBHOOK_FORMATS = ['generic', 'slack', 'teams'];
const ENVIRONMENT_TYPES = ['prod', 'non-prod'];

/** Something that a noun can do: with a name, or the argument that is named. */
type Verb = (argument: string, options: AnswerOptions) => Promise<number>;

/** Adds verbs that take a name and nothing else. */
function addVerbs<K extends string>(
  noun: Command,
  words: Readonly<Record<K, string>>,
  load: () => Promise<Readonly<Record<NoInfer<K>, Verb>>>,
  done: Done,
  argument: readonly [flag: string, words: string] = ['<name>', 'name or ID'],
): void {
  for (const verb of Object.keys(words) as K[])
    (verb === 'show' ? shownOptions : remoteOptions)(noun.command(verb))
      .description(words[verb])
      .argument(...argument)
      .action(async (name: string, options: AnswerOptions) => {
        done(await (await load())[verb](name, options));
      });
}

/** What repositories are signed in with. */
function gitOptions(command: Command): Command {
  return command
    .option('--branch <name>', 'branch or tag', 'main')
    .option('--username <name>', `who signs in at it, with the password of ${GIT_PASSWORD}`)
    .option('--ssh-key <file>', 'private key for it')
    .addHelpText('after', `\nA token for it is read from ${GIT_TOKEN}.`);
}

export function addWebhook(webhooks: Command, done: Done): void {
  const load = () => import('../../actions/remote/webhook.ts');
  shownOptions(webhooks.command('add'))
    .description('send events of the project to an address; prints the secret that signs them')
    .argument('<name>')
    .argument('[url]', 'address (default: that of TURNSOLE_WEBHOOK_URL, as it may hold a secret)')
    .addOption(
      new Option('--format <form>', 'form of the bodies').choices(WEBHOOK_FORMATS).default('generic'),
    )
    .addOption(new Option('--event <names...>', 'only these events').choices(WEBHOOK_EVENTS))
    .action(
      async (
        name: string,
        url: string | undefined,
        options: Partial<Pick<AddWebhookOptions, 'event'>> & Omit<AddWebhookOptions, 'event'>,
      ) => {
        done(await (await load()).add(name, url, { ...options, event: options.event ?? WEBHOOK_EVENTS }));
      },
    );
  remoteOptions(webhooks.command('change'))
    .description('change what is given; its secret stays')
    .argument('<name>', 'name or ID')
    .argument('[url]', 'new address (or that of TURNSOLE_WEBHOOK_URL, as it may hold a secret)')
    .option('--name <name>', 'new name')
    .addOption(new Option('--format <form>', 'form of the bodies').choices(WEBHOOK_FORMATS))
    .addOption(new Option('--event <names...>', 'only these events').choices(WEBHOOK_EVENTS))
    .action(async (name: string, url: string | undefined, options: ChangeWebhookOptions) => {
      done(await (await load()).change(name, url, options));
    });
  const words = {
    show: 'print it',
    enable: 'send events to it again',
    disable: 'send no events to it',
    test: 'send it a test event',
    remove: 'delete it, with what waits for it',
  };
  addVerbs(webhooks, words, load, done);
  shownOptions(webhooks.command('deliveries'))
    .description('what was sent, waits or was given up, the newest first')
    .argument('[name]', 'name or ID of the webhook (default: all)')
    .action(async (name: string | undefined, options: AnswerOptions) => {
      done(await (await load()).deliveries(name, options));
    });
  addVerbs(webhooks, { retry: 'send again what was given up' }, load, done, [
    '<delivery>',
    'ID of the delivery',
  ]);
}

export function addGitOps(gitops: Command, done: Done): void {
  const load = () => import('../../actions/remote/gitops.ts');
  gitOptions(remoteOptions(gitops.command('enable')))
    .description('keep the experiments of the project in a branch, or in another one than before')
    .argument('<url>', 'address of the repository')
    .action(async (url: string, options: EnableGitOpsOptions) => {
      done(await (await load()).enable(url, options));
    });
  for (const [verb, words] of [
    ['show', 'the repository, when both sides were the same, and what could not be taken over'],
    ['sync', 'bring both sides to the same state now; ends with 1 when something could not be taken over'],
    ['disable', 'stop, and leave both sides as they are'],
  ] as const)
    (verb === 'disable' ? remoteOptions : shownOptions)(gitops.command(verb))
      .description(words)
      .action(async (options: AnswerOptions) => {
        done(await (await load())[verb](options));
      });
}

export function addToken(tokens: Command, done: Done): void {
  const load = () => import('../../actions/remote/token.ts');
  shownOptions(tokens.command('list').description('list them')).action(async (options: AnswerOptions) => {
    done(await (await load()).list(options));
  });
  shownOptions(tokens.command('create'))
    .description('make one for a program; prints its text, which nobody can see again')
    .argument('<name>')
    .addOption(new Option('--days <n>', 'how long it is valid').argParser(parseDaysOption))
    .action(async (name: string, options: CreateTokenOptions) => {
      done(await (await load()).create(name, options));
    });
  addVerbs(tokens, { remove: 'make it worth nothing' }, load, done);
}

export function addProbe(probes: Command, done: Done): void {
  const load = () => import('../../actions/remote/probe.ts');
  addVerbs(probes, { save: 'save the probe of a file, or change the one of its name' }, load, done, [
    '<file>',
    'one probe, as engines have it',
  ]);
  const words = { show: 'print it, as engines have it', remove: 'delete it' };
  addVerbs(probes, words, load, done, ['<name>', 'its name']);
}

export function addHub(hubs: Command, done: Done): void {
  const load = () => import('../../actions/remote/hub.ts');
  gitOptions(shownOptions(hubs.command('add')))
    .description('add one, and read it')
    .argument('<name>')
    .argument('<url>', 'address of a repository, or of a zip file (--archive)')
    .option('--archive', 'the address is that of a zip file')
    .action(async (name: string, url: string, options: AddHubOptions) => {
      done(await (await load()).add(name, url, options));
    });
  addVerbs(hubs, { show: 'print it', sync: 'read it again now', remove: 'delete it' }, load, done);
}

export function addInfra(infras: Command, done: Done): void {
  const words = {
    show: 'print it',
    manifest: 'print the objects of its agent as YAML, with its key',
    remove: 'delete it, and order its agent to leave the cluster',
  };
  addVerbs(infras, words, () => import('../../actions/remote/infra.ts'), done);
}

export function addEnvironment(environments: Command, done: Done): void {
  const load = () => import('../../actions/remote/environment.ts');
  shownOptions(environments.command('create'))
    .description('make one')
    .argument('<name>')
    .addOption(new Option('--type <type>', 'what it is for').choices(ENVIRONMENT_TYPES).default('non-prod'))
    .action(async (name: string, options: CreateEnvironmentOptions) => {
      done(await (await load()).create(name, options));
    });
  addVerbs(environments, { remove: 'delete it' }, load, done);
}
