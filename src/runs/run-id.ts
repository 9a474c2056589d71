import { randomBytes } from 'node:crypto';

/** A name that sorts by time and says what ran: `tblite-20260412-1503-k3f9`. */
export function newRunId(environment: string, now: number, random: () => string = randomSuffix): string {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
  const name = environment
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  return `${name || 'run'}-${stamp}-${random()}`;
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const randomSuffix = (): string =>
  [...randomBytes(4)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
