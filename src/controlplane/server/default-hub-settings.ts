import type { Environment } from '@turnsole/kube/text/environment';
import { UsageError } from '../../process/usage-error.ts';

/** ChaosCenter's variables for its default hub. */
const OF_DEFAULT_HUB = /^DEFAULT_HUB_|^DEFAULTHUBGITURL$/;
const CHARTS = /^https:\/\/github\.com\/litmuschaos\/chaos-charts(\.git)?\/?$/;
/** Values of the usual hub, which are in the settings of every installation of ChaosCenter. */
const USUAL: Readonly<Record<string, RegExp>> = {
  DEFAULT_HUB_NAME: /^Litmus ChaosHub$/,
  DEFAULT_HUB_GIT_URL: CHARTS,
  DEFAULTHUBGITURL: CHARTS,
  DEFAULT_HUB_BRANCH_NAME: /./,
  DEFAULT_HUB_IS_PRIVATE: /^false$/i,
  DEFAULT_HUB_AUTH_TYPE: /^none$/i,
};

/**
 * The default hub is that of the package, which needs no network: settings for another one would have no effect. Pure.
 *
 * @throws UsageError naming the variable; its value may be a secret
 */
export function checkDefaultHub(env: Environment): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!OF_DEFAULT_HUB.test(name) || value.trim() === '') continue;
    if (USUAL[name]?.test(value.trim()) === true) continue;
    throw new UsageError(
      `variable ${name}: the default hub is the one in this package; leave the variable out, and add your hub to a project (addChaosHub, or Hubs of its page)`,
    );
  }
}
