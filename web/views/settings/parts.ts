/** The parts of the settings by their word in the address, in the order of their list. */
export const SETTINGS = [
  ['environments', 'Environments'],
  ['members', 'Members'],
  ['webhooks', 'Notifications'],
  ['git', 'GitOps'],
  ['registry', 'Image registry'],
  ['audit', 'Audit'],
  ['projects', 'Your projects'],
  ['account', 'Your account'],
  ['users', 'Users'],
] as const;
