/** The pages of a project by their word in the address, with their names in the bar. */
export const PAGES = [
  ['overview', 'Overview'],
  ['experiments', 'Experiments'],
  ['runs', 'Runs'],
  ['probes', 'Probes'],
  ['hubs', 'Hubs'],
  ['infrastructures', 'Infrastructures'],
  ['settings', 'Settings'],
] as const;
