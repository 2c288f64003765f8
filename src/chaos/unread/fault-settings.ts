import generated from '../generated/fault-settings.json' with { type: 'json' };

/** The settings of one fault. */
interface FaultSettings {
  /** Its own, beside the common ones. */
  readonly own: readonly string[];
  /** What it hits: `pods`, `containers`, `node`, `nodes`, `workloads` or `none`. */
  readonly targets: string;
}

/** Names of the settings that every experiment has. */
export const COMMON_SETTING_NAMES: readonly string[] = generated.common;

const FAULTS: Readonly<Record<string, FaultSettings>> = generated.faults;

/** The settings of a fault; undefined for a name that no fault of Turnsole has. */
export function settingsOfFault(name: string): FaultSettings | undefined {
  return Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined;
}
