#!/usr/bin/env node
/** Prints `<passed> <failed>` of a vitest JSON report; what vitest failed at beyond its tests counts as one. */
import { existsSync, readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);
if (existsSync(file)) {
  const { numPassedTests, numTotalTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
  // A skipped test is a promise that nobody looked at.
  const unpassed = numTotalTests - numPassedTests;
  const brokenFiles = testResults.filter(
    (r) => r.status === 'failed' && r.assertionResults.length === 0,
  ).length;
  const failed = unpassed + brokenFiles;
  console.log(`${numPassedTests} ${failed === 0 && status !== '0' ? 1 : failed}`);
} else {
  console.log('0 1');
}
