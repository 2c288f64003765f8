/** Names of folders and files of a hub: no separators, no dots at the beginning, so that no path leaves its hub. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+ -]{0,127}$/;

/** Whether a text can be the name of a category, fault, experiment or file of a hub. Pure. */
export function isHubName(name: string): boolean {
  return NAME.test(name) && !name.endsWith('.') && !name.endsWith(' ');
}
