import type { ControlPlane } from '../../access/context.ts';
import type { InfraRow } from '../../store/tables/infras.ts';

/** Purpose for sealing the keys of agents. */
export const ACCESS_KEY = 'access key';

/** The current key of an infrastructure's agent. */
export function accessKeyOf(
  { sealed_access_key }: Pick<InfraRow, 'sealed_access_key'>,
  { secrets }: ControlPlane,
): string {
  return secrets.open(ACCESS_KEY, sealed_access_key);
}
