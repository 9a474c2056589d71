/** Where the Python environment of the packages of test/peers is, or would be. */
export function peersFolder(): string;
/** The Python of a finished environment, or null. */
export function installedPython(): string | null;
/** The versions of Python that the packages take, best first: `3.12`. */
export function wantedPythons(): string[];
