import { access, constants, mkdir } from 'node:fs/promises';
import { badInput } from '../core/errors.js';

/** Makes the folder for results before anything is paid for. Throws `bad_input` when nothing can be written there. */
export async function makeOutputFolder(folder: string | null): Promise<void> {
  if (folder === null) return;
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw badInput(
      `--output: nothing can be written to ${folder}: ${(error as Error).message}.`,
      'Choose a folder that can be made and written to.',
      { output: folder },
    );
  }
}
