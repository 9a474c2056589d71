export interface Threat {
  who: string;
  reaches: string;
  /** Titles of tests by the path of their file below `test`. */
  files: Map<string, string[]>;
}
export function readThreats(root: string): Threat[];
export function securityPage(root: string): string;
