/**
 * Messages for the kernel's netlink sockets, in the byte order of the processors that longrun runs on (little-endian).
 * Layout: include/uapi/linux/netlink.h.
 */
const HEADER_BYTES = 16;
const ATTRIBUTE_HEADER_BYTES = 4;
const NESTED = 0x8000;

export const NLM_F_REQUEST = 0x1;
export const NLM_F_ACK = 0x4;
export const NLM_F_CREATE = 0x400;
export const NLM_F_APPEND = 0x800;

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);

/** An attribute with plain content. */
export function attribute(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(ATTRIBUTE_HEADER_BYTES);
  header.writeUInt16LE(ATTRIBUTE_HEADER_BYTES + content.length, 0);
  header.writeUInt16LE(type, 2);
  return padded(Buffer.concat([header, content]));
}

/** An attribute made of others. */
export function nested(type: number, ...attributes: Buffer[]): Buffer {
  return attribute(type | NESTED, Buffer.concat(attributes));
}

/** Text ends in a zero byte. */
export const text = (type: number, value: string): Buffer => attribute(type, Buffer.from(`${value}\0`));

/** Netfilter writes its numbers in network byte order. */
export function number32(type: number, value: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeInt32BE(value | 0);
  return attribute(type, content);
}

/** One message with its header; `sequence` numbers it within a batch. */
export function message(type: number, flags: number, sequence: number, content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(HEADER_BYTES + content.length, 0);
  header.writeUInt16LE(type, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt32LE(sequence, 8);
  return padded(Buffer.concat([header, content]));
}
