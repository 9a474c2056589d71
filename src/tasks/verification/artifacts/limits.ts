/** Of all artifacts of a step together. What exceeds a limit is left out: the agent made it so. */
export const ARTIFACT_LIMIT_BYTES = 256 * 1024 * 1024;
export const MOST_MEMBERS = 200_000;
/** Longest path that a system call takes (PATH_MAX), and how deep folders may lie in one another. */
export const PATH_MAX_BYTES = 4_095;
export const PATH_MAX_DEPTH = 256;
/** To go through all of it. */
export const SIFT_LIMIT_MS = 60_000;
