/** What a hub says about its streams before it is stopped, and whether that is true. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mainProgram } from '../support/main-program.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

const unitFile = 'engine-has-a-unit';
/** With that file in its data folder, the next hub treats the engine as one with a unit of its own. */
const asUnit = `[ -e "$SIGNALBOX_DATA_DIR/${unitFile}" ] && export SIGNALBOX_ENGINE=unit; exec "$@"`;

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ program: ['/bin/sh', '-c', asUnit, 'sh', process.execPath, mainProgram] });
  await hub.login();
});
afterEach(() => hub.restart());
afterAll(() => hub.stop());

/** Follows the event stream; resolves once it has its first message. */
async function listen() {
  const response = await fetch(`${hub.url}/api/events?topics=system`, { headers: hub.headers() });
  const heard = { text: '', ended: Promise.resolve() };
  heard.ended = (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) heard.text += part;
  })().catch(() => {});
  await until(() => heard.text.includes('event: init'), 20_000, 'init came');
  return heard;
}

const isEngineAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a hub that is stopped says that its streams end, and they do', async () => {
  const engine = await hub.enginePid();
  const heard = await listen();
  expect(await hub.kill('SIGTERM')).toBe(0);
  await heard.ended;
  expect(heard.text).toEndWith('event: stop\ndata: {"streams":"end"}\n\n');
  // Its process remains until the system has reaped it.
  await until(() => !isEngineAlive(engine), 5000, 'the engine has ended');
});

test('a hub that is killed says nothing', async () => {
  const engine = await hub.enginePid();
  const heard = await listen();
  await hub.kill('SIGKILL');
  await heard.ended;
  expect(heard.text).not.toContain('event: stop');
  expect(isEngineAlive(engine)).toBe(true);
});

test('a hub whose engine has a unit says that streams continue, and they do', async () => {
  await hub.kill('SIGKILL');
  writeFileSync(join(hub.dataDir, unitFile), '');
  await hub.restart();
  const engine = await hub.enginePid();
  const heard = await listen();
  expect(await hub.kill('SIGTERM')).toBe(0);
  await heard.ended;
  expect(heard.text).toEndWith('event: stop\ndata: {"streams":"continue"}\n\n');
  expect(isEngineAlive(engine)).toBe(true);
});
