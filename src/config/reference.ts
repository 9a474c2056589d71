import {
  groupSettingTable,
  type SettingPart,
  type SettingRow,
  settingTable,
  trainerSettingTable,
  workerSettingTable,
} from './setting-table.js';

/** docs/reference/config.md, made from the schema. */
export function configReference(): string {
  const table = settingTable();
  const groups = [...new Set(table.map((row) => row.group))];
  const sections = groups.map((group) =>
    section(
      group,
      table.filter((row) => row.group === group),
    ),
  );
  const grouped = section('Groups', groupSettingTable());
  const trainers = section('Trainers', trainerSettingTable());
  const workers = section('Worker', workerSettingTable());
  return `${INTRODUCTION}\n${sections.join('\n')}\n${grouped}\n${OF_GROUPS}\n${trainers}\n${OF_TRAINERS}\n${workers}\n${OF_WORKERS}`;
}

const OF_GROUPS = `These are of \`longrun process\`, which has all others but \`samples\` and \`fail_under\`, and of \`longrun serve\`.
`;

const OF_TRAINERS = `These are of \`longrun serve\`, which also has those of groups (without \`groups\` it goes on until it is stopped)
and all others but \`samples\`, \`fail_under\`, \`output\`, \`save_trajectories\` and \`trajectory_file\`.
`;

const OF_WORKERS = `These are of \`longrun worker\` and, without role and host id, of \`longrun up\`; the file is about runs and has no
keys for them. What they mean for several hosts is in [hosts.md](../hosts.md).
`;

const INTRODUCTION = `# Settings

Generated from the schema by \`node scripts/generate-docs.mjs\`; do not edit by hand.

A setting can be given as a flag, as an environment variable or in \`longrun.yaml\`.
Flags win over the environment, the environment over the file, the file over the defaults.
\`--config\` names the file; without it \`longrun.yaml\` in the current folder is read, if there is one.
\`longrun schema config\` prints its JSON Schema for editors.

Temporal is reached by its own standard variables and profile file (\`TEMPORAL_ADDRESS\`,
\`TEMPORAL_NAMESPACE\`, \`TEMPORAL_API_KEY\`, …); without an address longrun runs a server on this machine.
The state folder is \`--state-dir\`, else \`LONGRUN_HOME\`, else \`$XDG_STATE_HOME/longrun\`, else
\`~/.local/state/longrun\`. What is in it is believed, so it has to belong to you (or root) and nobody else may write to it:
else it is refused, with the command that puts it right.

\`\`\`yaml
# longrun.yaml
environment: tblite
model: scripted/demo
samples: 3
task: ["file-*", "shell-*"]
prices:
  my-model: { input: 0.5, cached_input: 0.1, output: 1.5 }
trajectory:
  min_turn_count: 3
  upload_api_key: env:TRAINING_KEY
agent: { name: tool-calling, save_trajectories: true }
\`\`\`
`;

function section(group: string, rows: SettingRow<string>[]): string {
  return [
    `## ${group}`,
    '',
    '| flag | environment variable | key in the file | default | meaning |',
    '|---|---|---|---|---|',
    ...rows.flatMap((row) => [line(row), ...row.parts.map(partLine)]),
    '',
  ].join('\n');
}

function line(row: SettingRow<string>): string {
  const flag =
    row.flag === null ? '' : code(row.placeholder === null ? row.flag : `${row.flag} <${row.placeholder}>`);
  const plain = row.kind === 'boolean' || row.accepted === 'a text';
  const meaning = plain ? row.description : `${row.description} (${row.accepted})`;
  const key = row.fileKey ?? row.nestedKey;
  const cells = [flag, row.env && code(row.env), key && code(key), fallback(row), meaning];
  return `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
}

function partLine(part: SettingPart): string {
  const plain = part.accepted === 'true or false' || part.accepted === 'a text';
  const meaning = plain ? part.description : `${part.description} (${part.accepted})`;
  const cells = ['', '', code(part.fileKey), fallback({ ...part, parts: [] }), meaning];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function fallback({ fallback: value, parts }: Pick<SettingRow<string>, 'fallback' | 'parts'>): string {
  if (parts.length > 0) return '';
  const empty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return empty ? '' : code(String(value));
}

const code = (text: string): string => `\`${text}\``;
