import type { TaskScript } from '../../../src/model/scripted/script.js';
import { accountAudit } from './account-audit.js';
import { brokenSystemdUnit } from './broken-systemd-unit.js';
import { csvStatistics } from './csv-statistics.js';
import { dailyCronJob } from './daily-cron-job.js';
import { dedupeByContent } from './dedupe-by-content.js';
import { diskUsageAlert } from './disk-usage-alert.js';
import { extractLogLines } from './extract-log-lines.js';
import { pythonEnvConfig } from './python-env-config.js';
import { pythonPackageSkeleton } from './python-package-skeleton.js';
import { recentPythonFiles } from './recent-python-files.js';
import { retryWithBackoff } from './retry-with-backoff.js';
import { rotatingBackup } from './rotating-backup.js';

/** How the scripted models of the offline demo behave on each task of `tblite`, in the order of the task ids. */
export const tbliteScripts: TaskScript[] = [
  accountAudit,
  brokenSystemdUnit,
  csvStatistics,
  dailyCronJob,
  dedupeByContent,
  diskUsageAlert,
  extractLogLines,
  pythonEnvConfig,
  pythonPackageSkeleton,
  recentPythonFiles,
  retryWithBackoff,
  rotatingBackup,
];
