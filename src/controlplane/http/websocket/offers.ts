/** What this server does beyond ChaosCenter's wire, as its acknowledgement says; clients that do not know it leave it out. */
export const OFFERS = { turnsole: { actionResults: true } } as const;
