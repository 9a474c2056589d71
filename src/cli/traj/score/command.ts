import { Command, Option } from 'commander';
import { REWARD_ORDER_HELP } from '../../../core/reward/reward-order.js';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { withInputs, withOutput } from '../traj-options.js';
import type { ScoreFlags } from './plan.js';

const EXPLANATION = `
Reward models:
  NAME   a judge: an OpenAI-compatible model that is given the transcript and a rubric
  URL    a classifier: POST of an episode answers {"score": 0.7}
  PATH   a program that reads JSON lines and writes {"id": …, "score": 0.7}; or a line with its arguments, in quotes

Every row is written, with all rewards that it had. Scores are kept in <output>.scores.jsonl as they come: run
again after an interruption, or with another shape, and none of them is paid for twice.

Exit codes:
  0  done   1  no row could be scored; with --strict: some could not   2  bad input   130  interrupted
`;

/** `longrun traj score`. */
export function scoreCommand(io: CliIo): Command {
  const shape = new Option('--shape <shape>', 'What becomes of a score (default: continuous)');
  shape.argChoices = ['binary', 'continuous', 'composite'];
  const command = withInputs(new Command('score'))
    .description(
      'Adds rewards: by a judge, a classifier, a program, a mix of what is known, or what can be observed.',
    )
    .option(
      '--reward-model <model>',
      'Who judges: NAME, URL, PATH or none (default: trajectory.reward_model)',
    )
    .option('--rubric <file>', 'What a judge goes by: Markdown, or YAML with criteria (default: one of ours)')
    .option('--base-url <url>', 'Endpoint of the judge, up to and including /v1')
    .option('--api-key-env <name>', 'Variable with the key of judge or classifier, or none')
    .addOption(shape)
    .option('--threshold <number>', 'Of --shape binary: the least score that is 1 (default: 0.5)')
    .option('--weights <file>', 'Of --shape composite: part → weight, as YAML or JSON')
    .option(
      '--implicit',
      'Also adds the implicit signal: session length, errors, retries, files, skills, memory',
    )
    .option(
      '--evaluated',
      "Also writes <output>.evaluated.traj.jsonl: agoge's LLMEvaluatedTrajectory, one a line",
    )
    .option('--concurrency <n>', 'Requests at once (default: 8)')
    .option('--batch <n>', 'Episodes per request to a classifier (default: 1)')
    .option('--timeout <seconds>', 'Of one request (default: 300); of a program: silence (default: 1800)')
    .option('--reward-order <sources>', REWARD_ORDER_HELP);
  withOutput(command, 'scored.jsonl in this folder')
    .addHelpText('after', EXPLANATION)
    .action((inputs: string[], options: ScoreFlags) => run(inputs, options, io));
  return withCommonOptions(
    command,
    'longrun traj score tblite-20260412-1503-k3f9 --reward-model gpt-4o-mini --output scored.jsonl',
  );
}

async function run(inputs: string[], options: ScoreFlags, io: CliIo): Promise<void> {
  const { scoreLine } = await import('./run.js');
  await scoreLine(inputs, options, io);
}
