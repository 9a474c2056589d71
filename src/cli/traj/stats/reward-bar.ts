import type { Style } from '../../../report/style.js';
import type { Cell } from '../../../report/table.js';

const BAR_COLUMNS = 30;

/** A bar as long as its share, dotted to the full length. */
export function bar(share: number, style: Style): Cell {
  const full = share > 0 ? Math.max(1, Math.round(share * BAR_COLUMNS)) : 0;
  const text = '━'.repeat(full) + '·'.repeat(BAR_COLUMNS - full);
  return {
    text,
    paint: (cut) => {
      return style('green', cut.slice(0, full)) + style('dim', cut.slice(full));
    },
  };
}
