import type { FlagValues } from '../../config/merge-settings.js';
import type { ServeSettingName } from '../../config/serve-settings.schema.js';
import { type ServeConfig, sinksOf } from '../../core/run/serve-config.schema.js';
import { launchServe } from '../../launch/launch-run.js';
import type { Plan, RunRecord } from '../../store/records/records.schema.js';
import type { CliIo } from '../cli-io.js';
import { serveContext } from '../command-context.js';
import { packageVersion } from '../package-version.js';
import { RunReporter } from '../run-reporter.js';

/** Serves trainers as the settings say, and shows the run meanwhile. */
export async function serveRun(flags: FlagValues<ServeSettingName>, io: CliIo): Promise<void> {
  const { settings, ...context } = await serveContext(flags, io);
  const reporter = new RunReporter(context, { failUnder: null, output: null, runId: settings.runId });
  await reporter.attend((hooks) =>
    launchServe({
      ...hooks,
      settings,
      stateDir: context.stateDir,
      env: io.env,
      longrunVersion: packageVersion(),
      onReady: ({ run, plan, created }) => {
        if (!created) context.say(`Run ${run.runId} is there already: carrying it on.`);
        else if (!settings.detach) context.say(announcement(run, plan));
        if (!settings.detach) reporter.open(run);
      },
    }),
  );
}

function announcement({ runId, config }: RunRecord, plan: Plan): string {
  const { groups, groupSize, sandbox, concurrency, serve } = config;
  const many = groups === null ? 'groups' : `${groups} groups`;
  const of = plan.tasks.length === 1 ? '1 task' : `${plan.tasks.length} tasks`;
  const sinks = serve === null ? [] : sinksOf(serve).map((name) => `--${name} ${placeOf(serve, name)}`);
  return `Run ${runId}: ${many} of ${groupSize} from ${of}, ${sandbox} sandboxes, at most ${concurrency} at once.\nIt serves ${sinks.join(', ')}`;
}

function placeOf({ listen, ...serve }: ServeConfig, name: 'atropos' | 'listen' | 'tinker' | 'jsonl'): string {
  if (name !== 'listen') return serve[name] ?? '';
  return listen === null
    ? ''
    : `${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${listen.port}`;
}
