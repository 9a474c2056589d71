import { z } from 'zod';
import { defineTool } from './define-tool.js';
import { pathParameter } from './session.js';
import { finishWrite, writeWholeFile } from './write-whole-file.js';

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a whole text file; makes missing folders, replaces what is there and keeps its mode. Use patch to change parts of a file.',
  parameters: z.object({
    path: pathParameter.describe('File, absolute or from the working directory'),
    content: z.string().describe('The whole new content'),
  }),
  plan({ path, content }, context) {
    const bytes = Buffer.from(content);
    const size = `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
    return writeWholeFile(context, path, bytes, {
      created: `Wrote ${size} to ${path} (new file).`,
      replaced: `Wrote ${size} to ${path} (replaced).`,
    });
  },
  finish: finishWrite,
});
