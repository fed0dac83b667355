/** Files and variables that make some program, or Bun itself, run other code. What runs here leaves a mark. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guest, run } from './guest.ts';

const script = '/srv/planted.js';
const library = '/srv/planted.so';
const mark = '.planted';

/** The dynamic loader runs this in every program. Only those of Signalbox count, as who can plant it in others is root. */
const librarySource = `
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) {
  char program[256] = {0};
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0 || !strstr(program, "/signalbox")) return;
  int state = open("/var/lib/signalbox/${mark}", O_CREAT | O_WRONLY, 0600);
  if (state >= 0) close(state);
  int helper = open("/run/signalbox-helper/${mark}", O_CREAT | O_WRONLY, 0600);
  if (helper >= 0) close(helper);
}
`;
const scriptSource = `
for (const folder of ['/var/lib/signalbox', '/run/signalbox-helper']) {
  try { require('node:fs').writeFileSync(folder + '/${mark}', ''); } catch {}
}
`;

/** By file name. */
const files: Readonly<Record<string, string>> = {
  '.env': `BUN_OPTIONS=--preload=${script}\nSIGNALBOX_HTTP_PORT=8881\n`,
  '.env.production': 'SIGNALBOX_HTTP_PORT=8881\n',
  '.env.local': 'SIGNALBOX_HTTP_PORT=8881\n',
  'bunfig.toml': `preload = ["${script}"]\n[run]\npreload = ["${script}"]\n`,
  'package.json': JSON.stringify({ name: 'planted', main: script, imports: { '#*': script }, type: 'commonjs' }),
  'tsconfig.json': JSON.stringify({ compilerOptions: { baseUrl: '/', paths: { '*': [script] } } }),
  'preload.js': scriptSource,
};

/** Variables by name. */
export const variables: Readonly<Record<string, string>> = {
  BUN_BE_BUN: '1',
  BUN_OPTIONS: `--preload=${script}`,
  BUN_INSPECT_PRELOAD: script,
  BUN_INSPECT: 'ws://127.0.0.1:6499/planted',
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: '/srv',
  NODE_OPTIONS: `--require ${script}`,
  NODE_PATH: '/srv',
  LD_PRELOAD: library,
  LD_AUDIT: library,
  LD_LIBRARY_PATH: '/srv',
};

/** Plants the files in these folders of the guest. */
export async function plantFiles(guest: Guest, folders: readonly string[]): Promise<void> {
  const made = mkdtempSync(join(tmpdir(), 'sb-planted-'));
  try {
    writeFileSync(join(made, 'planted.c'), librarySource);
    await run('gcc', '-shared', '-fPIC', '-o', join(made, 'planted.so'), join(made, 'planted.c'));
    guest.put(library, readFileSync(join(made, 'planted.so')));
  } finally {
    rmSync(made, { recursive: true });
  }
  guest.put(script, scriptSource);
  for (const folder of folders) {
    for (const [name, text] of Object.entries(files)) guest.put(join(folder, name), text);
  }
}

/** Where planted code left its mark since the last call. */
export function marks(guest: Guest): string[] {
  const found = guest.run('find', '/var/lib', '/run', '-maxdepth', '2', '-name', mark, '-print', '-delete');
  return found.split('\n').filter((path) => path !== '');
}
