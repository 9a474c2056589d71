import { LAYERS } from '../lint/layers.mjs';

const BEGIN = '<!-- folders: made from scripts/lint/layers.json by `npm run docs` -->';
const END = '<!-- end of folders -->';

/** A page with its table of the product's folders as `scripts/lint/layers.json` has them. */
export function withFolders(page) {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error('the page has no place for the table of folders');
  const rows = LAYERS.map(({ folder, holds }) => `| \`${folder}\` | ${holds} |`);
  return `${before}${BEGIN}\n\n| folder | what it holds |\n|---|---|\n${rows.join('\n')}\n\n${END}${after}`;
}
