/** Extensions of ChaosCenter's protocol, announced in the acknowledgement; other clients ignore them. */
export const OFFERS = {
  turnsole: { actionResults: true, ownRequests: true, runRecords: true, runLogs: true },
} as const;

/** Concurrent operations of one connection: the page has some ten. */
export const MOST_AT_ONCE = 100;
/** The error for further operations. */
export const TOO_MANY = `${MOST_AT_ONCE} operations are under way on this connection, which is the limit`;
