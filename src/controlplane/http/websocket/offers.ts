/** What this server does beyond ChaosCenter's wire, as its acknowledgement says; clients that do not know it leave it out. */
export const OFFERS = { turnsole: { actionResults: true, ownRequests: true, runRecords: true } } as const;

/** Operations of one connection at a time: the page has some ten. */
export const MOST_AT_ONCE = 100;
/** What who asks for more is told. */
export const TOO_MANY = `${MOST_AT_ONCE} operations are under way on this connection, which is the limit`;
