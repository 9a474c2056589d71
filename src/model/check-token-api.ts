import { badInput } from '../core/errors.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { isScripted } from './scripted/scripted-name.js';

/** The settings of a run that choose how token ids are had. */
export type TokenSettings = Pick<RunConfig, 'tokenApi' | 'tokenizer' | 'toolCallParser' | 'maxTokens'>;

/** APIs that are sent prompts as ids. */
export const sendsIds = (api: RunConfig['tokenApi'] | undefined): api is 'vllm' | 'sglang' | 'tinker' =>
  api === 'vllm' || api === 'sglang' || api === 'tinker';

/** Whether token ids can be had as asked, as far as that is known without a call. Errors: `bad_input`. */
export async function checkTokenApi(model: string, settings: Partial<TokenSettings>): Promise<void> {
  const { tokenApi = 'none', tokenizer = null, toolCallParser, maxTokens } = settings;
  if (tokenApi !== 'none' && isScripted(model))
    throw badInput(
      `--token-api: found "${tokenApi}", and ${model} samples no tokens.`,
      'longrun model serve-scripted plays the same scripts behind an endpoint that tells ids',
    );
  if (!sendsIds(tokenApi)) {
    if (tokenizer === null) return;
    throw badInput(
      `--tokenizer is for --token-api vllm, sglang and tinker, not for ${tokenApi}.`,
      'Name one of them, or leave the tokenizer out',
    );
  }
  if (tokenizer === null)
    throw badInput(
      `--token-api ${tokenApi} sends prompts as ids and needs the model's tokenizer.`,
      'Give its folder with --tokenizer',
    );
  if (toolCallParser === 'none')
    throw badInput(
      `--tool-call-parser none finds no tool calls with --token-api ${tokenApi}: they come in the text.`,
      'Name the family of the model, or auto',
    );
  if (tokenApi === 'tinker' && (maxTokens ?? null) === null)
    throw badInput(
      '--token-api tinker needs --max-tokens.',
      'Without it an answer would end after a few tokens',
    );
  const { openTokenizer } = await import('./tokenizer/open-tokenizer.js');
  await openTokenizer(tokenizer, '--tokenizer');
}
