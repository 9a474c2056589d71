import { z } from 'zod';

/** More than any call has; sums of as many calls as there will ever be stay exact. */
const MOST_TOKENS = 1e9;
const MOST_USD = 1e6;

/** What is no such number was not told: it would make sums of a run negative, infinite, or more than its budget. */
const toldUpTo = (most: number) => z.number().min(0).max(most).nullish().catch(null);

/** A count of tokens in an answer. */
export const toldTokens = toldUpTo(MOST_TOKENS);
/** What an endpoint says that a call cost, in US dollars. */
export const toldUsd = toldUpTo(MOST_USD);
