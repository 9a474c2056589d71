import { CASES, type CaseName } from './bench-case.js';

/** The process of one case: its name comes as an argument, its measures go to the parent. */
const run = await CASES[process.argv[2] as CaseName]();
const measures = await run((line) => console.error(`  ${line}`));
await new Promise((resolve) => process.send?.(measures, resolve));
process.exit(0);
