/** A folder of the product and what it holds; `only`: the only folders of ours that it may import. */
export interface Layer {
  folder: string;
  holds: string;
  temporal?: true;
  only?: string[];
}

/** From the top to the bottom: a folder may import those that come after it. */
export const LAYERS: readonly Layer[];

/** What the files under a root break, a line each. */
export function layerProblems(root: string, layers?: readonly Layer[]): string[];
