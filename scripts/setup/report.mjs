/** Ends the set-up with one sentence that says what to do. */
export class Stop extends Error {}

const NAME_WIDTH = 16;

/** One line for a thing done or found in place. */
export function line(name, text) {
  console.log(`${name.padEnd(NAME_WIDTH)}${text}`);
}

/** Announces something that takes long, before it starts. */
export function announce(name, text) {
  line(name, `${text} …`);
}

export function seconds(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}

/** Runs a script's work; what it cannot do ends it with that one sentence and exit code 1. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
