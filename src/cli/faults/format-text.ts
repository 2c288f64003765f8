import {
  describeFault,
  formatNeeds,
  formatRule,
  formatWay,
  type SettingDescription,
  type ShownFault,
} from './describe-fault.ts';

/** The table of `turnsole faults list`. Pure. */
export function formatFaultList(faults: readonly ShownFault[]): string[] {
  const width = Math.max(...faults.map(({ name }) => name.length), 0);
  return faults.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`);
}

/** The page of `turnsole faults show`. Pure. */
export function formatFault(fault: ShownFault, options: { readonly all: boolean }): string[] {
  const { name, summary, needs, permissions, settings, commonSettings } = describeFault(fault);
  const needed = formatNeeds(needs);
  return [
    name,
    `  ${summary}`,
    `  ${formatWay(fault)}`,
    ...(needed === '' ? [] : [`  needs ${needed}`]),
    '',
    'Settings',
    ...(settings.length === 0 ? ['  none of its own'] : settings.flatMap(formatSetting)),
    '',
    ...(options.all
      ? ['Common settings', ...commonSettings.flatMap(formatSetting)]
      : [
          `Common settings (--all describes them): ${commonSettings.map((setting) => setting.name).join(', ')}`,
        ]),
    '',
    'Permissions of its service account, beyond those of every experiment',
    ...(permissions.length === 0 ? ['  none'] : permissions.map((rule) => `  ${formatRule(rule)}`)),
  ];
}

function formatSetting(setting: SettingDescription): string[] {
  const value = setting.required
    ? 'required'
    : `default ${setting.default === '' ? 'empty' : setting.default}`;
  return [`  ${setting.name}: ${setting.form}; ${value}`, `      ${setting.description}`];
}
