/** Sockets to the machine around a virtual one: no network namespace holds them back. */
const AF_VSOCK = 40;
const EPERM = 1;
/** The same number on every processor; a ring makes sockets that no filter sees. */
const IO_URING_SETUP = 425;
const NONE = 0xffffffff;
/** The bit that numbers of the x32 calls have on top. */
const WITHOUT_X32 = 0x3fffffff;

// Instructions and results of include/uapi/linux: bpf_common.h, seccomp.h. Architectures: audit.h.
const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000 | EPERM;
const CALL = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

/** What makes a socket on a processor and on the older one whose programs it runs as well. */
const CALLS: Partial<
  Record<NodeJS.Architecture, [architecture: number, socket: number, socketcall: number][]>
> = {
  x64: [
    [0xc000003e, 41, NONE],
    [0x40000003, 359, 102],
  ],
  arm64: [
    [0xc00000b7, 198, NONE],
    [0x40000028, 281, 102],
  ],
};

/**
 * A seccomp program, for `prctl`, that refuses such sockets and whatever else could make them; null on a processor whose
 * calls are not known. `socketcall` takes its arguments from where the filter cannot look, so it is refused as a whole:
 * only programs for 32 bits that are older than Linux 4.3 use it.
 */
export function socketFilter(processor: NodeJS.Architecture = process.arch): Buffer | null {
  const calls = CALLS[processor];
  return calls === undefined ? null : Buffer.concat([...calls.map(block), instruction(RETURN, REFUSE)]);
}

function block([architecture, socket, socketcall]: [number, number, number]): Buffer {
  return Buffer.concat([
    instruction(LOAD, ARCHITECTURE),
    instruction(JUMP_IF_EQUAL, architecture, 0, 9),
    instruction(LOAD, CALL),
    instruction(AND, WITHOUT_X32),
    instruction(JUMP_IF_EQUAL, IO_URING_SETUP, 4, 0),
    instruction(JUMP_IF_EQUAL, socketcall, 3, 0),
    instruction(JUMP_IF_EQUAL, socket, 0, 3),
    instruction(LOAD, FIRST_ARGUMENT),
    instruction(JUMP_IF_EQUAL, AF_VSOCK, 0, 1),
    instruction(RETURN, REFUSE),
    instruction(RETURN, ALLOW),
  ]);
}

/** Jumps count the instructions that they pass over. */
function instruction(code: number, operand: number, ifEqual = 0, otherwise = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifEqual, 2);
  bytes.writeUInt8(otherwise, 3);
  bytes.writeUInt32LE(operand >>> 0, 4);
  return bytes;
}
