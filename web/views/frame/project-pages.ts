/** The pages of a project by their word in the address, as the bar names them. */
export const PAGES = [
  ['overview', 'Overview'],
  ['experiments', 'Experiments'],
  ['runs', 'Runs'],
  ['probes', 'Probes'],
  ['hubs', 'Hubs'],
  ['infrastructures', 'Infrastructures'],
  ['settings', 'Settings'],
] as const;
