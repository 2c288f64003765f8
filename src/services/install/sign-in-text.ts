import type { ControlPlaneSettings } from './control-plane-settings.ts';
import { CONTROL_PLANE_NAME } from './names.ts';

/** How the control plane is reached and signed in to, after it was installed. Pure. */
export function signInText(
  { namespace }: { readonly namespace: string },
  { host, tlsSecret }: ControlPlaneSettings,
): string {
  const scheme = tlsSecret === undefined ? 'http' : 'https';
  const kubectl = `kubectl --namespace ${namespace}`;
  const way =
    host === undefined
      ? [
          `  ${kubectl} port-forward service/${CONTROL_PLANE_NAME} 9002`,
          `  ${scheme}://localhost:9002/ui/, in the cluster ${scheme}://${CONTROL_PLANE_NAME}.${namespace}:9002`,
        ]
      : [`  ${scheme}://${host}/ui/`];
  return [
    'The control plane:',
    ...way,
    '  first sign-in: user and password stand in the log of the first start, unless ADMIN_PASSWORD was given:',
    `  ${kubectl} logs deployment/${CONTROL_PLANE_NAME}`,
  ].join('\n');
}
