import { expect, test } from 'bun:test';
import { resolve } from 'node:path';

const lib = resolve(import.meta.dir);
const script = (call: string) => `
  import { createLog } from '${lib}/log.ts';
  import { surviveRejections } from '${lib}/survive-rejections.ts';
  ${call};
  void Promise.reject(new Error('nobody took this'));
  setTimeout(() => process.exit(7), 1);
`;
const run = (call: string) => Bun.spawnSync([process.execPath, '-e', script(call)], { stderr: 'pipe' });

test('an unhandled rejection ends a process, unless it is set to survive, which reports it', () => {
  expect(run('').exitCode).not.toBe(7);
  const { exitCode, stderr } = run("surviveRejections(createLog('error'))");
  expect(exitCode).toBe(7);
  expect(stderr.toString()).toContain('a background task failed');
  expect(stderr.toString()).toContain('nobody took this');
});
