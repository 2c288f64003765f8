import { EXIT } from '../../../process/exit-codes.ts';
import { UsageError } from '../../../process/usage-error.ts';
import { openRemote, type RemoteOptions } from '../../remote/open-remote.ts';
import { printable } from '../../remote/print-rows.ts';
import { projectOf } from '../../remote/projects.ts';

export interface RotateKeyOptions extends RemoteOptions {
  /** False: the connected agent does not get the new key. */
  readonly handOver: boolean;
}

interface Infras {
  readonly listInfras: { readonly infras: readonly { readonly infraID: string; readonly name: string }[] };
}

interface Rotated {
  readonly rotateInfraKey: {
    readonly isHandedOver: boolean;
    readonly message: string;
    readonly secret: string;
  };
}

const LIST = `query ($p: ID!, $r: ListInfraRequest) { listInfras(projectID: $p, request: $r) { infras { infraID name } } }`;
const ROTATE = `mutation ($p: ID!, $i: String!, $h: Boolean) {
  rotateInfraKey(projectID: $p, infraID: $i, handOver: $h) { isHandedOver message secret }
}`;

/**
 * Replaces the key of an infrastructure's agent. Where its agent has not got the new one, the Secret to apply goes to standard output, and what is
 * to be done with it to standard error.
 */
export async function rotateKey(name: string, options: RotateKeyOptions): Promise<number> {
  const remote = await openRemote(options, process.env);
  const { projectID: p } = await projectOf(remote);
  const r = { pagination: { page: 0, limit: 1_000 } };
  const { listInfras } = await remote.client.graphql<Infras>(LIST, { p, r });
  const infra = listInfras.infras.find((one) => one.infraID === name || one.name === name);
  if (infra === undefined) {
    throw new UsageError(
      `the project has no infrastructure ${name}: "turnsole remote infra list" shows those that it has`,
    );
  }
  const variables = { p, i: infra.infraID, h: options.handOver };
  const { rotateInfraKey } = await remote.client.graphql<Rotated>(ROTATE, variables);
  const { isHandedOver, message, secret } = rotateInfraKey;
  if (isHandedOver) {
    console.log(`${printable(infra.name)}: ${printable(message)}`);
    return EXIT.pass;
  }
  console.error(`${printable(infra.name)}: ${printable(message)}`);
  console.log(secret.trimEnd());
  return EXIT.pass;
}
