/** Systems Manager as its API reference describes it, as far as documents and commands go; `moto` lacks its agents and cancelling. */

/** A command on one instance. */
interface Command {
  readonly CommandId: string;
  readonly DocumentName: string;
  readonly InstanceIds: readonly string[];
  readonly Parameters: Readonly<Record<string, readonly string[]>>;
  Status: string;
  /** How often it was asked for. */
  looks: number;
}

/** Systems Manager of a region. */
export class SystemsManager {
  readonly documents = new Map<string, string>();
  readonly commands: Command[] = [];
  /** What becomes of a command that has begun. */
  outcome: 'InProgress' | 'Success' | 'Failed' = 'InProgress';
  /** Instances that its agent is on. */
  readonly agents: ReadonlySet<string>;

  constructor(...agents: readonly string[]) {
    this.agents = new Set(agents);
  }

  /** The answer to a request; undefined for one to another service. */
  answer({ headers, body }: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }) {
    const target = String(headers['x-amz-target'] ?? '');
    if (!target.startsWith('AmazonSSM.')) return undefined;
    const input = JSON.parse(body) as Record<string, never>;
    const [status, answer] = this.#do(target.slice('AmazonSSM.'.length), input);
    return { status, body: JSON.stringify(answer) };
  }

  /** Commands that have not ended. */
  get underWay(): number {
    return this.commands.filter(({ Status }) => Status === 'Pending' || Status === 'InProgress').length;
  }

  #do(action: string, input: Record<string, never>): [number, object] {
    const fail = (code: string): [number, object] => [400, { __type: code, message: `${code} in ${action}` }];
    switch (action) {
      case 'DescribeInstanceInformation': {
        const { Filters = [] } = input as { Filters?: { Values: string[] }[] };
        const wanted = Filters[0]?.Values ?? [];
        const known = wanted.filter((id) => this.agents.has(id));
        const agent = { PingStatus: 'Online', PlatformType: 'Linux' };
        return [200, { InstanceInformationList: known.map((InstanceId) => ({ InstanceId, ...agent })) }];
      }
      case 'CreateDocument': {
        const { Name, Content } = input as unknown as { Name: string; Content: string };
        if (this.documents.has(Name)) return fail('DocumentAlreadyExists');
        this.documents.set(Name, Content);
        return [200, { DocumentDescription: { Name } }];
      }
      case 'DescribeDocument':
        return this.documents.has(String(input.Name)) ? [200, { Document: {} }] : fail('InvalidDocument');
      case 'DeleteDocument':
        return this.documents.delete(String(input.Name)) ? [200, {}] : fail('InvalidDocument');
      case 'SendCommand': {
        const { DocumentName, InstanceIds, Parameters } = input as unknown as Command;
        if (!this.documents.has(DocumentName)) return fail('InvalidDocument');
        const CommandId = `command-${this.commands.length}`;
        const command = { CommandId, DocumentName, InstanceIds, Parameters, Status: 'Pending', looks: 0 };
        this.commands.push(command);
        return [200, { Command: command }];
      }
      case 'ListCommands': {
        const { Filters = [] } = input as { Filters?: { value: string }[] };
        const found = this.commands.filter(({ DocumentName }) => DocumentName === Filters[0]?.value);
        return [200, { Commands: found.map(({ looks: _, ...command }) => command) }];
      }
      case 'GetCommandInvocation': {
        const command = this.commands.find(({ CommandId }) => CommandId === input.CommandId);
        if (command === undefined) return fail('InvocationDoesNotExist');
        if (command.Status === 'Pending' && ++command.looks > 1) command.Status = 'InProgress';
        else if (command.Status === 'InProgress') command.Status = this.outcome;
        const StandardErrorContent = command.Status === 'Failed' ? 'stress-ng is not installed' : '';
        return [200, { CommandId: command.CommandId, Status: command.Status, StandardErrorContent }];
      }
      case 'CancelCommand': {
        const command = this.commands.find(({ CommandId }) => CommandId === input.CommandId);
        if (command === undefined) return fail('InvalidCommandId');
        command.Status = 'Cancelled';
        return [200, {}];
      }
      default:
        return fail('UnknownOperationException');
    }
  }
}
