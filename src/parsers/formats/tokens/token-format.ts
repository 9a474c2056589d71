/** How one family spells a section of calls with special tokens: a header and JSON in each. */
export interface TokenFormat {
  section: TokenPair;
  /** Other spellings of the section's tokens that models write. */
  alsoSection?: readonly TokenPair[];
  call: TokenPair;
  /** A code fence around the JSON belongs to the format. */
  fenced: boolean;
  /** Reads what stands between `call.open` and the JSON. */
  readHeader(text: string, at: number, isKnown: (name: string) => boolean): TokenHeader | null;
}

export interface TokenPair {
  open: string;
  close: string;
}

export interface TokenHeader {
  name: string;
  nativeId: string | null;
  /** What was done to the name, when it is not as it was written. */
  renamed: string | null;
  /** Where the JSON is to be. */
  end: number;
}

export function sectionOpens({ section, alsoSection = [] }: TokenFormat): string[] {
  return [section.open, ...alsoSection.map(({ open }) => open)];
}

export function sectionCloses({ section, alsoSection = [] }: TokenFormat): string[] {
  return [section.close, ...alsoSection.map(({ close }) => close)];
}
