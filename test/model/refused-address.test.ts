import { describe, expect, it } from 'vitest';
import { refusedHost } from '../../src/model/refused-address.js';
import { threat } from '../support/threat.js';

const hostOf = (host: string): string => new URL(`http://${host}/latest/meta-data/`).hostname;

describe(
  threat('whoever names an endpoint', 'the metadata service of the cloud and link-local addresses'),
  () => {
    it.each([
      '169.254.169.254',
      '169.254.169.254.',
      '169.254.170.2',
      '169.254.0.1',
      '2852039166',
      '0xa9fea9fe',
      '0xA9.0xFE.0xA9.0xFE',
      '0251.0376.0251.0376',
      '169.254.43518',
      '169.16689662',
      '１６９.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '[::ffff:100.100.100.200]',
      '[::169.254.169.254]',
      '[64:ff9b::169.254.169.254]',
      '[64:ff9b:1::a9fe:a9fe]',
      '[2002:a9fe:a9fe::1]',
      '[fe80::1]',
      '[febf::1]',
      '[fd00:ec2::254]',
      '[FD00:EC2:0:0:0:0:0:254]',
      '[fd20:ce::254]',
      'metadata.google.internal',
      'METADATA.google.internal.',
      'metadata',
      'instance-data.ec2.internal',
    ])('%s is refused', (host) => {
      expect(refusedHost(hostOf(host))).toMatch(/metadata/);
    });

    it.each([
      '127.0.0.1',
      'localhost',
      '[::1]',
      '10.0.0.7',
      '192.168.1.5',
      '169.253.255.255',
      '169.255.0.1',
      '100.100.100.201',
      '[fd00:ec2::253]',
      '[::ffff:10.0.0.7]',
      '[2001:db8::1]',
      'api.openai.com',
      'metadata.example.com',
    ])('%s may serve a model', (host) => {
      expect(refusedHost(hostOf(host))).toBeNull();
    });
  },
);
