/** A page with its table of the product's folders as `scripts/lint/layers.json` has them. */
export function withFolders(page: string): string;
