import { z } from 'zod';
import { shell } from '../../core/text/shell.js';
import type { ExecResult } from '../../sandbox/sandbox.js';
import type { ToolAnswer, ToolContext, ToolPlan } from '../tool.js';
import { interrupted, outputText } from './output-text.js';
import { enterSession, setPath, startFolder } from './session.js';

const WRITE_TIMEOUT_MS = 60_000;
const OUTPUT_LIMIT_BYTES = 8_000;

const noteSchema = z.object({ created: z.string(), replaced: z.string() });
/** What to answer when the file was made, or when there was one before. */
export type WriteNote = z.infer<typeof noteSchema>;

/** The command that puts `content` in the place of a file: whole or not at all, its mode and owner kept. */
export function writeWholeFile(
  context: ToolContext,
  path: string,
  content: Uint8Array,
  note: WriteNote,
): ToolPlan {
  return {
    kind: 'effect',
    request: {
      script: `${enterSession(context)}${setPath(path)}${writeScript(content.length)}`,
      ...startFolder(context),
      env: {},
      timeoutMs: Math.min(WRITE_TIMEOUT_MS, context.remainingMs),
      outputLimitBytes: OUTPUT_LIMIT_BYTES,
      stdin: content,
    },
    note,
  };
}

export function finishWrite(result: ExecResult, note: unknown): ToolAnswer {
  const cut = interrupted(result);
  if (cut) return cut;
  const texts = noteSchema.parse(note);
  const output = outputText(result.output).trim();
  if (result.exitCode !== 0)
    return { content: `Nothing was written: ${output}`, success: false, error: 'failed' };
  return {
    content: output.endsWith('replaced') ? texts.replaced : texts.created,
    success: true,
    error: null,
  };
}

/**
 * A temporary file beside the target is moved over it when its length is right. A target that
 * cannot be moved over (a mount point, a folder without write permission) is overwritten in place.
 */
function writeScript(bytes: number): string {
  return shell`if [ -d "$p" ]; then echo "it is a directory"; exit 1; fi
if [ -L "$p" ]; then q=$(readlink -f "$p" 2>/dev/null) && [ -n "$q" ] && p=$q; fi
d=\${p%/*}; [ -n "$d" ] || d=/
mkdir -p "$d" || exit 1
state=created
if [ -e "$p" ]; then
state=replaced
if [ ! -w "$p" ]; then echo "permission denied"; exit 1; fi
fi
t=$d/.longrun-write-$$
if ! ( : > "$t" ) 2>/dev/null; then t=/tmp/.longrun-write-$$; : > "$t" || exit 1; fi
cat > "$t"
n=$(wc -c < "$t")
if [ "$n" -ne ${bytes} ]; then rm -f "$t"; echo "only $n of ${bytes} bytes could be stored"; exit 1; fi
if [ $state = replaced ]; then
o=$(stat -c %u:%g "$p" 2>/dev/null) && chown "$o" "$t" 2>/dev/null
m=$(stat -c %a "$p" 2>/dev/null) && chmod "$m" "$t" 2>/dev/null
fi
if ! mv -f "$t" "$p" 2>/dev/null; then
cat "$t" > "$p" || { rm -f "$t"; exit 1; }
rm -f "$t"
fi
echo $state`;
}
