const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** A moment (epoch milliseconds, UTC) as Python's `strftime` writes it, in the codes that chat templates use. */
export function strftime(moment: number, format: string): string {
  const date = new Date(moment);
  const month = MONTHS[date.getUTCMonth()] as string;
  const day = DAYS[date.getUTCDay()] as string;
  const codes: Record<string, string> = {
    Y: String(date.getUTCFullYear()),
    y: two(date.getUTCFullYear() % 100),
    m: two(date.getUTCMonth() + 1),
    d: two(date.getUTCDate()),
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    H: two(date.getUTCHours()),
    I: two(date.getUTCHours() % 12 || 12),
    M: two(date.getUTCMinutes()),
    S: two(date.getUTCSeconds()),
    p: date.getUTCHours() < 12 ? 'AM' : 'PM',
    '%': '%',
  };
  return format.replace(/%-?([a-zA-Z%])/g, (written, code: string) => {
    const text = codes[code] ?? written;
    return written.startsWith('%-') ? text.replace(/^0(?=\d)/, '') : text;
  });
}

const two = (value: number): string => String(value).padStart(2, '0');
