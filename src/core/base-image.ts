/** What the built-in tasks start from, and what the Docker driver runs programs of its own in. */
export const BASE_IMAGE = 'debian:bookworm-slim';
