import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SettingsError } from '../../../experiment/injection/errors.ts';
import { chaosDuration, chaosInterval } from '../../../experiment/injection/settings/common-tunables.ts';
import { choice, integer, patterned, text } from '../../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../../experiment/injection/tunables.ts';
import { isCloudError } from '../cloud-error.ts';
import { lastPart } from '../last-part.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { RESOURCE_TUNABLES } from '../tunables.ts';
import type { AwsApi } from './aws-api.ts';
import { type Choice, partsOf } from './choice.ts';
import { chooseById, chooseByTag } from './choose-instances.ts';
import { builtInDocument, isBuiltIn } from './ssm-document.ts';
import { AWS_TUNABLES } from './tunables.ts';

const CALLS = [
  'sts:GetCallerIdentity',
  'ssm:DescribeInstanceInformation',
  'ssm:CreateDocument',
  'ssm:DescribeDocument',
  'ssm:SendCommand',
  'ssm:ListCommands',
  'ssm:GetCommandInvocation',
  'ssm:CancelCommand',
  'ssm:DeleteDocument',
] as const;

const BUILT_IN_PATH = 'LitmusChaos-AWS-SSM-Docs.yml';

const OWN = {
  ...RESOURCE_TUNABLES,
  TOTAL_CHAOS_DURATION: chaosDuration(60, 'How long the command runs.'),
  CHAOS_INTERVAL: {
    ...chaosInterval(60, 'Accepted and not needed: one command runs for the whole time.'),
    minimum: 1,
  },
  DOCUMENT_NAME: patterned(
    {
      default: 'LitmusChaos-AWS-SSM-Doc',
      pattern: '[A-Za-z0-9_.-]{3,80}',
      form: '3 to 80 letters, digits and _.-',
    },
    'Begin of the name of the document, which is made for each instance and deleted at the end.',
  ),
  DOCUMENT_TYPE: choice({ choices: ['Command'], default: 'Command' }, 'Kind of document.'),
  DOCUMENT_FORMAT: choice({ choices: ['YAML', 'JSON', 'TEXT'], default: 'YAML' }, 'Form of the document.'),
  DOCUMENT_PATH: text(
    'File with the document, in the pod of the experiment. The default is built in: it loads CPU and memory.',
    BUILT_IN_PATH,
  ),
  CPU_CORE: integer(
    { default: 0, minimum: 0, maximum: 1_024 },
    'Processes that load CPUs, of the built-in document; 0: one for each CPU.',
  ),
  NUMBER_OF_WORKERS: integer(
    { default: 1, minimum: 1, maximum: 1_024 },
    'Processes that take memory, of the built-in document.',
  ),
  MEMORY_PERCENTAGE: integer(
    { default: 80, minimum: 1, maximum: 100, unit: 'percent' },
    'Share of the memory that they take, of the built-in document.',
  ),
  INSTALL_DEPENDENCIES: choice(
    { choices: ['True', 'False'], default: 'True' },
    'Whether the built-in document installs stress-ng where it is missing.',
  ),
} as const;

const TABLE = { ...OWN, ...AWS_TUNABLES } as const;
type Settings = Tunables<typeof TABLE> & { readonly RUN_ID?: string };

/** What ending the command needs: the document's name is unique, so commands are found by it. */
interface Parameters {
  readonly instance: string;
  readonly region: string;
  readonly document: string;
  /** DOCUMENT_PATH. */
  readonly path: string;
  readonly type: 'Command';
  readonly format: 'YAML' | 'JSON' | 'TEXT';
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** AWS takes no longer ones. */
const LONGEST_CONTENT = 64 * 1024;
/** A command that has not reached its instance in this time is given up. */
const DELIVERY_SECONDS = 120;

/**
 * Runs a document of Systems Manager on EC2 instances.
 *
 * What is touched: a document per instance is made, and a command with it is sent. How it is undone: the command is cancelled, the document
 * deleted. What remains if the experiment dies: both, until recovery; the load of the built-in document ends by itself.
 */
function ssmChaos<S extends TunableSchema>(
  name: string,
  summary: string,
  own: Choice<S>,
  calls: readonly string[],
) {
  const { parts, settingsOf } = partsOf<S, typeof OWN>(own, calls);
  return resourceFault<TunableSchema, AwsApi, Parameters>({
    name,
    summary,
    kind: 'EC2',
    tunables: { ...TABLE, ...own.tunables },
    ...parts,
    words: ['run a command on', 'under the command'],
    isContinuous: true,
    observe: (api, target, settings, context) => observe(api, target, settingsOf(settings), context),
    look,
    take: async (api, { document, path, type, format, instance, values }, context) => {
      const Content = isBuiltIn(path) ? builtInDocument() : await contentOf(path);
      try {
        const made = { Name: document, Content, DocumentType: type, DocumentFormat: format } as const;
        await api.call('ssm:CreateDocument', made, context);
      } catch (error) {
        // By this injection: its name is in no other.
        if (!isCloudError(error, 'busy')) throw error;
      }
      await api.call(
        'ssm:SendCommand',
        {
          DocumentName: document,
          InstanceIds: [instance],
          TimeoutSeconds: DELIVERY_SECONDS,
          MaxConcurrency: '50',
          MaxErrors: '0',
          Parameters: Object.fromEntries(Object.entries(values).map(([key, list]) => [key, [...list]])),
        },
        context,
      );
    },
    give: async (api, { document, instance }, context) => {
      for (const { CommandId, Status = '' } of await commandsOf(api, document, instance, context)) {
        if (CommandId === undefined || !UNDER_WAY.has(Status)) continue;
        await api.call('ssm:CancelCommand', { CommandId, InstanceIds: [instance] }, context);
      }
      try {
        await api.call('ssm:DeleteDocument', { Name: document }, context);
      } catch (error) {
        if (!isCloudError(error, 'gone')) throw error;
      }
    },
  });
}

async function observe(
  api: AwsApi,
  target: string,
  settings: Settings,
  context: CallContext,
): Promise<Parameters> {
  const instance = lastPart(target);
  const filter = { Filters: [{ Key: 'InstanceIds', Values: [instance] }] };
  const { InstanceInformationList = [] } = await api.call('ssm:DescribeInstanceInformation', filter, context);
  const [agent] = InstanceInformationList;
  if (agent === undefined) {
    refuse(target, 'Systems Manager does not know it; install its agent there, with a role that allows it');
  }
  if (agent.PingStatus !== 'Online') refuse(target, `its Systems Manager agent is ${agent.PingStatus}`);
  const builtIn = isBuiltIn(settings.DOCUMENT_PATH);
  if (builtIn && agent.PlatformType !== undefined && agent.PlatformType !== 'Linux') {
    refuse(target, `it runs ${agent.PlatformType}, and the built-in document is for Linux`);
  }
  if (!builtIn) await contentOf(settings.DOCUMENT_PATH);
  return {
    instance,
    region: api.region,
    document: documentName(settings.DOCUMENT_NAME, settings.RUN_ID ?? '', instance),
    path: settings.DOCUMENT_PATH,
    type: settings.DOCUMENT_TYPE as Parameters['type'],
    format: builtIn ? 'JSON' : (settings.DOCUMENT_FORMAT as Parameters['format']),
    values: builtIn
      ? {
          Duration: [String(settings.TOTAL_CHAOS_DURATION)],
          CPU: [String(settings.CPU_CORE)],
          Workers: [String(settings.NUMBER_OF_WORKERS)],
          Percent: [String(settings.MEMORY_PERCENTAGE)],
          InstallDependencies: [settings.INSTALL_DEPENDENCIES],
        }
      : {},
  };
}

/** A name that no other run has, on no other instance. Pure. */
export function documentName(stem: string, runId: string, instance: string): string {
  const digest = createHash('sha256').update(`${runId}\n${instance}`).digest('hex').slice(0, 10);
  return `${stem}-${digest}`;
}

async function contentOf(path: string): Promise<string> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw new SettingsError(`cannot read DOCUMENT_PATH ${path}; mount it into the pod of the experiment`, {
      cause,
    });
  }
  if (content.length > LONGEST_CONTENT)
    throw new SettingsError(`DOCUMENT_PATH ${path} is longer than 64 KiB`);
  return content;
}

/** States of a command that has not ended. */
const UNDER_WAY: ReadonlySet<string> = new Set(['Pending', 'InProgress', 'Delayed', 'Cancelling']);

async function look(api: AwsApi, parameters: Parameters, context: CallContext): Promise<Look> {
  const { document, instance } = parameters;
  const commands = await commandsOf(api, document, instance, context);
  const [command] = commands.filter(({ Status = '' }) => UNDER_WAY.has(Status)).concat(commands);
  const isMade = await hasDocument(api, document, context);
  if (command?.CommandId === undefined) {
    return isMade
      ? { state: 'part', words: `has document ${document}, and no command` }
      : { state: 'there', words: 'is under no command' };
  }
  const invocation = await invocationOf(api, command.CommandId, instance, context);
  return lookAtCommand(
    invocation?.Status ?? command.Status ?? 'Pending',
    isMade,
    invocation?.StandardErrorContent,
  );
}

/** How an instance is, by the status of the command on it, and whether the document is there. Pure. */
export function lookAtCommand(status: string, hasDocument: boolean, said = ''): Look {
  switch (status) {
    case 'InProgress':
      return { state: 'taken', words: 'is under the command' };
    case 'Pending':
    case 'Delayed':
      return { state: 'going', words: `is to get the command, which is ${status}` };
    case 'Cancelling':
      return { state: 'coming', words: 'is under a command that is being cancelled' };
    default: {
      const words = `has a command that ended: ${status}`;
      if (!hasDocument) return { state: 'there', words };
      // A document of the user's own may be quick.
      if (status === 'Success') return { state: 'taken', words };
      const why = said.trim() === '' ? '' : `, with: ${said.trim().slice(-300)}`;
      return { state: 'part', words, failed: `its command ended: ${status}${why}` };
    }
  }
}

/** A command, as the API lists it. */
interface ListedCommand {
  readonly CommandId?: string;
  readonly DocumentName?: string;
  readonly Status?: string;
}

async function commandsOf(
  api: AwsApi,
  document: string,
  instance: string,
  context: CallContext,
): Promise<readonly ListedCommand[]> {
  const input = { InstanceId: instance, Filters: [{ key: 'DocumentName' as const, value: document }] };
  const { Commands } = await api.call('ssm:ListCommands', input, context);
  const listed: readonly ListedCommand[] = Commands ?? [];
  return listed.filter(({ DocumentName }) => DocumentName === document);
}

async function invocationOf(api: AwsApi, CommandId: string, InstanceId: string, context: CallContext) {
  try {
    return await api.call('ssm:GetCommandInvocation', { CommandId, InstanceId }, context);
  } catch (error) {
    // Not known there yet.
    if (isCloudError(error, 'busy', 'gone')) return undefined;
    throw error;
  }
}

async function hasDocument(api: AwsApi, Name: string, context: CallContext): Promise<boolean> {
  try {
    await api.call('ssm:DescribeDocument', { Name }, context);
    return true;
  } catch (error) {
    if (isCloudError(error, 'gone')) return false;
    throw error;
  }
}

export const ssmChaosById = () =>
  ssmChaos(
    'aws-ssm-chaos-by-id',
    'Loads CPU and memory of EC2 instances, or runs a document of your own on them, by Systems Manager.',
    chooseById,
    CALLS,
  );

export const ssmChaosByTag = () =>
  ssmChaos(
    'aws-ssm-chaos-by-tag',
    'Loads CPU and memory of EC2 instances that have a tag, or runs a document of your own on them, by Systems Manager.',
    chooseByTag,
    [...CALLS, 'ec2:DescribeInstances'],
  );
