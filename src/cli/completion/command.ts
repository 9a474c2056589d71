import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { printJson } from '../print.js';

const EXAMPLES = `
Examples:
  $ source <(longrun completion bash)
  $ longrun completion zsh > "\${fpath[1]}/_longrun"
  $ longrun completion fish > ~/.config/fish/completions/longrun.fish
`;

/** `longrun completion`. */
export function completionCommand(io: CliIo): Command {
  return new Command('completion')
    .description('Print the completion script of a shell.')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .option('--json', 'The script in one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(async (shell: string, options: { json?: boolean }) => {
      const { completionScript } = await import('./completion-script.js');
      const script = completionScript(shell);
      if (options.json) printJson(io, { shell, script });
      else io.stdout.write(script);
    });
}
