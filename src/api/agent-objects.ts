/** Objects from which the agents of a control plane read their settings, and by which its server addresses them; upstream's names. */
export const AGENT_CONFIG_MAP = 'subscriber-config';
export const AGENT_SECRET = 'subscriber-secret';

/** Lease by which one of several subscribers of an infrastructure is active. */
export const SUBSCRIBER_LEASE = 'turnsole-subscriber';
