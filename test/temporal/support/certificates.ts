import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface KeyPair {
  certificate: string;
  key: string;
}

/** An authority made for one test; answers are paths of PEM files. */
export class Certificates {
  private constructor(
    private readonly folder: string,
    /** The authority's own certificate. */
    readonly authority: string,
  ) {}

  static async create(folder: string, name: string): Promise<Certificates> {
    const made = new Certificates(folder, join(folder, `${name}.pem`));
    const subject = ['-subj', `/CN=${name}`, '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
    const out = ['-keyout', join(folder, 'authority.key'), '-out', made.authority];
    await openssl('req', '-x509', ...subject, ...out, '-addext', 'basicConstraints=critical,CA:TRUE');
    return made;
  }

  /** A certificate for loopback, good for servers and clients. */
  async issue(name: string): Promise<KeyPair> {
    const path = (ending: string) => join(this.folder, `${name}.${ending}`);
    const request = ['-subj', `/CN=${name}`, '-nodes', '-newkey', 'rsa:2048', '-keyout', path('key')];
    await openssl('req', ...request, '-out', path('csr'));
    await writeFile(path('ext'), EXTENSIONS);
    const signer = ['-CA', this.authority, '-CAkey', join(this.folder, 'authority.key'), '-CAcreateserial'];
    const out = ['-days', '1', '-extfile', path('ext'), '-out', path('pem')];
    await openssl('x509', '-req', '-in', path('csr'), ...signer, ...out);
    return { certificate: path('pem'), key: path('key') };
  }
}

const EXTENSIONS = `subjectAltName=IP:127.0.0.1,DNS:localhost
basicConstraints=CA:FALSE
extendedKeyUsage=serverAuth,clientAuth
`;

async function openssl(...args: string[]): Promise<void> {
  await promisify(execFile)('openssl', args);
}
