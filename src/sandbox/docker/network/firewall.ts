import type { AddressRange } from './address-ranges.js';
import {
  attribute,
  message,
  NLM_F_ACK,
  NLM_F_APPEND,
  NLM_F_CREATE,
  NLM_F_REQUEST,
  nested,
  number32,
  text,
} from './netlink.js';

/** What a network namespace may not send to. */
export interface FirewallRules {
  /** Ascending and apart, the first one from 0.0.0.0 on. */
  refused: readonly AddressRange[];
  /** Name servers, which answer on their port wherever they are. */
  nameservers: readonly AddressRange[];
}

// Numbers from include/uapi/linux/netfilter: nfnetlink.h, nf_tables.h.
const SUBSYSTEM = 10;
const BATCH = { begin: 0x10, end: 0x11 };
const NEW = { table: 0, chain: 3, rule: 6, set: 9, elements: 12 };
const DELETE_TABLE = 2;
const FAMILY = { none: 0, inet: 1 };
const META = { outgoingName: 7, family: 15, protocol: 16 };
const BASE = { network: 1, transport: 2 };
const DESTINATION = { offset: 16, length: 4 };
const DESTINATION_PORT = { offset: 2, length: 2 };
const VERDICT = { accept: 1, goto: -4 };
const REJECT = { tcpReset: 1, icmp: 2 };
const ADMINISTRATIVELY_PROHIBITED = 3;
const INTERVAL_SET = 4;
/** As the `nft` program calls them, so that it can list them. */
const KEY = { type: 7, length: 4 };
const INTERVAL_END = 1;
const OUTPUT_HOOK = 3;
const REGISTER = 1;
const IPV6 = 10;
const TCP = 6;
const UDP = 17;
const DNS_PORT = 53;
/** A list of attributes holds 64 KB. */
const ELEMENTS_PER_MESSAGE = 1_000;

const TABLE = 'longrun';
const OUTPUT = 'output';
const REFUSE = 'refuse';
const SET = 'refused';
const SET_ID = 1;

const expression = (name: string, ...data: Buffer[]): Buffer => nested(1, text(1, name), nested(2, ...data));
const load = (key: number): Buffer => expression('meta', number32(1, REGISTER), number32(2, key));
const loadPacket = (base: number, { offset, length }: { offset: number; length: number }): Buffer =>
  expression('payload', number32(1, REGISTER), number32(2, base), number32(3, offset), number32(4, length));
const equals = (value: Buffer): Buffer =>
  expression('cmp', number32(1, REGISTER), number32(2, 0), nested(3, attribute(1, value)));
const isRefused = (): Buffer =>
  expression('lookup', text(1, SET), number32(2, REGISTER), number32(4, SET_ID));
const verdict = (code: number, chain?: string): Buffer => {
  const target = chain === undefined ? [] : [text(2, chain)];
  return expression('immediate', number32(1, 0), nested(2, nested(2, number32(1, code), ...target)));
};
const reject = (how: number, code: number): Buffer =>
  expression('reject', number32(1, how), attribute(2, Buffer.of(code)));

const interfaceName = (name: string): Buffer => Buffer.from(name.padEnd(16, '\0'));
const port = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff);
function address(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/**
 * The netlink batch that makes a namespace refuse these destinations, and everything of IPv6, in place of what an
 * earlier batch refused there. The filter looks at each packet on its way out; a route would not do, because a socket
 * that is bound to a device (SO_BINDTODEVICE, which takes no privilege) is served where routing refuses.
 */
export function firewallBatch(rules: FirewallRules): Buffer {
  const table = text(1, TABLE);
  const contents = [
    [NEW.table, table],
    [DELETE_TABLE, table],
    [NEW.table, table],
    [
      NEW.set,
      ...[table, text(2, SET), number32(3, INTERVAL_SET)],
      ...[number32(4, KEY.type), number32(5, KEY.length), number32(10, SET_ID)],
    ],
    ...elementLists(rules.refused).map((elements) => [
      NEW.elements,
      ...[table, text(2, SET), elements, number32(4, SET_ID)],
    ]),
    [NEW.chain, table, text(3, REFUSE)],
    [
      NEW.chain,
      ...[table, text(3, OUTPUT), nested(4, number32(1, OUTPUT_HOOK), number32(2, 0)), text(7, 'filter')],
    ],
    ...[...refuseRules(), ...outputRules(rules.nameservers)].map((rule) => [NEW.rule, table, ...rule]),
  ] as [number, ...Buffer[]][];
  return Buffer.concat([
    batchMark(BATCH.begin, 0),
    ...contents.map(([type, ...attributes], index) => tableMessage(type, index + 1, attributes)),
    batchMark(BATCH.end, contents.length + 1),
  ]);
}

type Rule = [chain: Buffer, expressions: Buffer];

const rule = (chain: string, ...expressions: Buffer[]): Rule => [text(2, chain), nested(4, ...expressions)];

/** At once, in each protocol's own words: whoever connects must not wait for a time-out. */
function refuseRules(): Rule[] {
  return [
    rule(REFUSE, load(META.protocol), equals(Buffer.of(TCP)), reject(REJECT.tcpReset, 0)),
    rule(REFUSE, reject(REJECT.icmp, ADMINISTRATIVELY_PROHIBITED)),
  ];
}

function outputRules(nameservers: readonly AddressRange[]): Rule[] {
  const resolving = nameservers.flatMap(({ first }) =>
    [UDP, TCP].map((protocol) =>
      rule(
        OUTPUT,
        ...[loadPacket(BASE.network, DESTINATION), equals(address(first))],
        ...[load(META.protocol), equals(Buffer.of(protocol))],
        ...[loadPacket(BASE.transport, DESTINATION_PORT), equals(port(DNS_PORT))],
        verdict(VERDICT.accept),
      ),
    ),
  );
  return [
    rule(OUTPUT, load(META.outgoingName), equals(interfaceName('lo')), verdict(VERDICT.accept)),
    rule(OUTPUT, load(META.family), equals(Buffer.of(IPV6)), verdict(VERDICT.goto, REFUSE)),
    ...resolving,
    rule(OUTPUT, loadPacket(BASE.network, DESTINATION), isRefused(), verdict(VERDICT.goto, REFUSE)),
  ];
}

/** Each range is where it begins and, marked, where what is not refused begins again. */
function elementLists(ranges: readonly AddressRange[]): Buffer[] {
  const key = (value: number): Buffer => nested(1, attribute(1, address(value)));
  const elements = ranges.flatMap(({ first, last }) => [
    nested(1, key(first)),
    ...(last === 0xffffffff ? [] : [nested(1, key(last + 1), number32(3, INTERVAL_END))]),
  ]);
  const lists: Buffer[] = [];
  for (let at = 0; at < elements.length; at += ELEMENTS_PER_MESSAGE)
    lists.push(nested(3, ...elements.slice(at, at + ELEMENTS_PER_MESSAGE)));
  return lists;
}

function tableMessage(type: number, sequence: number, attributes: Buffer[]): Buffer {
  const flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_APPEND;
  const header = Buffer.of(FAMILY.inet, 0, 0, 0);
  return message((SUBSYSTEM << 8) | type, flags, sequence, Buffer.concat([header, ...attributes]));
}

const batchMark = (type: number, sequence: number): Buffer =>
  message(type, NLM_F_REQUEST, sequence, Buffer.of(FAMILY.none, 0, 0, SUBSYSTEM));
