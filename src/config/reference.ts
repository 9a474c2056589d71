import { type SettingRow, settingTable, workerSettingTable } from './setting-table.js';

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
  const workers = section('Worker', workerSettingTable());
  return `${INTRODUCTION}\n${sections.join('\n')}\n${workers}\n${OF_WORKERS}`;
}

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
\`~/.local/state/longrun\`.

\`\`\`yaml
# longrun.yaml
environment: tblite
model: scripted/demo
samples: 3
task: ["file-*", "shell-*"]
prices:
  my-model: { input: 0.5, cached_input: 0.1, output: 1.5 }
\`\`\`
`;

function section(group: string, rows: SettingRow<string>[]): string {
  return [
    `## ${group}`,
    '',
    '| flag | environment variable | key in the file | default | meaning |',
    '|---|---|---|---|---|',
    ...rows.map(line),
    '',
  ].join('\n');
}

function line(row: SettingRow<string>): string {
  const flag =
    row.flag === null ? '' : code(row.placeholder === null ? row.flag : `${row.flag} <${row.placeholder}>`);
  const plain = row.kind === 'boolean' || row.accepted === 'a text';
  const meaning = plain ? row.description : `${row.description} (${row.accepted})`;
  const cells = [flag, row.env && code(row.env), row.fileKey && code(row.fileKey), fallback(row), meaning];
  return `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
}

function fallback({ fallback: value }: SettingRow<string>): string {
  const empty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return empty ? '' : code(String(value));
}

const code = (text: string): string => `\`${text}\``;
