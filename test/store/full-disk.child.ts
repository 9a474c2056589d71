import { LongrunError } from '../../src/core/errors.js';
import { openStore } from '../../src/store/index.js';

// Puts a small value, then one that does not fit, and prints what became of both.
const store = await openStore(process.argv[2] as string);
const small = new TextEncoder().encode('small');
await store.put('run/kept', small);
const tooLarge = new Uint8Array(64 * 1024 * 1024);
const codes: string[] = [];
for (const write of [() => store.put('run/kept', tooLarge), () => store.putIfAbsent('run/new', tooLarge)]) {
  await write().catch((error: unknown) =>
    codes.push(LongrunError.is(error) ? `${error.code} ${error.retryable}` : String(error)),
  );
}
const kept = new TextDecoder().decode((await store.get('run/kept')) ?? undefined);
console.log(JSON.stringify({ codes, kept, children: await store.children('run') }));
