/**
 * What a worker does: `orchestrator` moves workflows and keeps the books, `host` holds sandboxes and works
 * beside them, `all` does both.
 */
export const HOST_ROLES = ['orchestrator', 'host', 'all'] as const;

export type HostRole = (typeof HOST_ROLES)[number];

export const orchestrates = (role: HostRole): boolean => role !== 'host';
export const holdsSandboxes = (role: HostRole): boolean => role !== 'orchestrator';
