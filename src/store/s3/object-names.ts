import { checkKey } from '../check-key.js';

/** How keys of the store are named in the bucket: below the prefix that the store was given. */
export class ObjectNames {
  private readonly base: string;

  constructor(prefix: string) {
    this.base = prefix === '' ? '' : `${prefix}/`;
  }

  /** Refuses what is no key. */
  of(key: string): string {
    checkKey(key);
    return `${this.base}${key}`;
  }

  /** A name that no key can have. */
  hidden(name: string): string {
    return `${this.base}.${name}`;
  }
}

/** An object's name, or a prefix, as a list of them gives it. */
export function decodeName(listed: string, encoding: string | undefined): string {
  return encoding === 'url' ? decodeURIComponent(listed.replaceAll('+', ' ')) : listed;
}

/** The last part of a listed name. */
export function childName(listed: string, encoding: string | undefined): string {
  return decodeName(listed, encoding).replace(/\/$/, '').replace(/^.*\//s, '');
}
