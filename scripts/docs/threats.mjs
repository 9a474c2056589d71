import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const THREAT = /^( *)describe(?:\.\w+)*\(\s*threat\(\s*(['"`])(.+?)\2,\s*(['"`])(.+?)\4,?\s*\)/gm;
const TITLE = /\(\s*(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:\{[^}]*\},\s*)?(?:async\s*)?\([^)]*\)\s*=>/g;

/** Blocks of tests that are titled with `threat(who, reaches)`: who may try, what for, and what holds them off. */
export function readThreats(root) {
  const threats = new Map();
  for (const entry of readdirSync(join(root, 'test'), { recursive: true }).sort()) {
    if (!entry.endsWith('.test.ts')) continue;
    const source = readFileSync(join(root, 'test', entry), 'utf8');
    for (const found of source.matchAll(THREAT)) {
      const [start, indent, , who, , reaches] = found;
      const block = source.slice(found.index + start.length).split(`\n${indent}}`, 1)[0];
      const key = `${who} → ${reaches}`;
      const threat = threats.get(key) ?? { who, reaches, files: new Map() };
      const titles = [...block.matchAll(TITLE)].map(([, , title]) => title.replaceAll("\\'", "'"));
      threat.files.set(entry, [...(threat.files.get(entry) ?? []), ...titles]);
      threats.set(key, threat);
    }
  }
  return [...threats.values()].sort((a, b) => compare(a.who, b.who) || compare(a.reaches, b.reaches));
}

/** `docs/security.md` */
export function securityPage(root) {
  const threats = readThreats(root);
  const rows = threats.map(
    ({ who, reaches, files }) => `| ${who} | ${reaches} | ${[...files.keys()].map(linkTo).join(', ')} |`,
  );
  const sections = threats.map(({ who, reaches, files }) => {
    const titles = [...files].flatMap(([file, names]) =>
      names.map((name) => `- ${inline(name)} (${linkTo(file)})`),
    );
    return [`### ${who} → ${reaches}`, '', ...titles, ''].join('\n');
  });
  return [INTRODUCTION, ...rows, '', '## What the tests say', '', ...sections].join('\n');
}

const INTRODUCTION = `# Security: who could try what, and which test holds it

Made from the titles of the tests by \`npm run docs\`; do not edit. What is promised, and what is not, is in
[SECURITY.md](../SECURITY.md); where tests run and what that is worth in [verification.md](verification.md); what tasks
are given of the host in [secrets.md](secrets.md).

| who | reaches for | held by |
|---|---|---|`;

const linkTo = (file) => `[\`${file.replace(/\.test\.ts$/, '')}\`](../test/${file})`;
const inline = (title) => title.replaceAll('<', '\\<');
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
