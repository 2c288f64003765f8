import type { ControlPlane } from '../../access/context.ts';
import type { InfraRow } from '../../store/tables/infras.ts';

/** What the keys of agents are sealed for. */
export const ACCESS_KEY = 'access key';

/** The key that an infrastructure's agent shows now. */
export function accessKeyOf(
  { sealed_access_key }: Pick<InfraRow, 'sealed_access_key'>,
  { secrets }: ControlPlane,
): string {
  return secrets.open(ACCESS_KEY, sealed_access_key);
}
