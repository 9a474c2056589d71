/** The templates of a source that are marked with `shell`: text with `value` for what is put in, and the line it begins in. */
export function shellScripts(source, value) {
  const found = [];
  for (const match of source.matchAll(/\bshell`/g)) {
    const start = match.index + match[0].length;
    found.push({ line: lineAt(source, start), text: textFrom(source, start, value) });
  }
  return found;
}

/** Lines of scripts that are written down without the mark. */
export function unmarkedScripts(source) {
  return [...source.matchAll(/(?<![$\w])script(: string)? *[:=] *['"]|_SCRIPT = *['"`]/g)]
    .filter(([text], i, all) => !source.startsWith("''", all[i].index + text.length - 1))
    .map(({ index }) => lineAt(source, index));
}

function textFrom(source, start, value) {
  let text = '';
  for (let at = start; source[at] !== '`'; at += 1) {
    if (source[at] === '\\') {
      at += 1;
      text += source[at] === 'n' ? '\n' : source[at];
    } else if (source.startsWith('${', at)) {
      at = endOfValue(source, at + 2);
      text += value;
    } else text += source[at];
    if (at >= source.length) throw new Error(`a template that begins at ${start} has no end`);
  }
  // A part that stands on a line of its own is a script itself.
  return text.replaceAll(new RegExp(`^${value}$`, 'gm'), ':');
}

/** Where the brace stands that ends what is put into a template; values hold no strings with braces of their own. */
function endOfValue(source, start) {
  for (let at = start, depth = 1; at < source.length; at += 1) {
    if (source[at] === '{') depth += 1;
    if (source[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return source.length;
}

const lineAt = (source, index) => source.slice(0, index).split('\n').length;
