/** What `docs/security.md` is made of: blocks of tests whose titles begin with this. */
export const THREAT = 'threat: ';

/** The title of a block of tests: who may try, and what the tests in it keep them from. */
export const threat = (who: string, reaches: string): string => `${THREAT}${who} → ${reaches}`;
