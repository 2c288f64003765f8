import { EXIT } from '../../../process/exit-codes.ts';
import { infraOf } from '../../remote/infras.ts';
import { openRemote, type RemoteOptions } from '../../remote/open-remote.ts';
import { printable } from '../../remote/print-rows.ts';
import { projectOf } from '../../remote/projects.ts';

export interface RotateKeyOptions extends RemoteOptions {
  /** False: the connected agent does not get the new key. */
  readonly handOver: boolean;
}

interface Rotated {
  readonly rotateInfraKey: {
    readonly isHandedOver: boolean;
    readonly message: string;
    readonly secret: string;
  };
}

const ROTATE = `mutation ($p: ID!, $i: String!, $h: Boolean) {
  rotateInfraKey(projectID: $p, infraID: $i, handOver: $h) { isHandedOver message secret }
}`;

/**
 * Replaces the key of an infrastructure's agent. Where its agent has not got the new one, standard output has the Secret to apply, and
 * standard error the sentence that says what to do with it.
 *
 * @throws CommandError when there is no such infrastructure, or several of that name
 */
export async function rotateKey(name: string, options: RotateKeyOptions): Promise<number> {
  const remote = await openRemote(options, process.env);
  const { projectID: p } = await projectOf(remote);
  const infra = await infraOf(remote.client, p, name);
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
