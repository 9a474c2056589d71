import { execFile } from 'node:child_process';
import { access, glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TIERS, type TierName, tierPatterns, tiersToRun } from '../support/tiers.js';
