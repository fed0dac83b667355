/** The hub of one test file, with its rig and a folder for what is recorded: there before its tests, gone after them. */
import { afterAll, beforeAll } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopClip } from '../support/clips.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, source } from './live-media.ts';
import { RelayRig } from './relay-rig.ts';

export interface RigHub {
  readonly folder: string;
  /** From the first test on. */
  readonly hub: HubProcess;
  readonly rig: RelayRig;
}

const startMs = 60_000;

interface RigHubOptions {
  readonly name: string;
  /** 1, or what scaled-timing.ts has for files that wait for slow times. */
  readonly timeDivisor: number;
  /** Of the hub; asked before it starts. */
  readonly environment?: (folder: string) => Promise<Record<string, string>>;
}

/** To be called once, where the file's own hooks stand. */
export function openRigHub({ name, timeDivisor, environment = async () => ({}) }: RigHubOptions): RigHub {
  const folder = mkdtempSync(join(tmpdir(), `sb-${name}-`));
  let rig: RelayRig | undefined;
  beforeAll(async () => {
    // Encoded now and not beside tests that run at the same time.
    loopClip(source);
    const hub = await startHub({ env: await environment(folder), timeDivisor });
    await hub.login();
    rig = new RelayRig(hub);
  }, startMs);
  afterAll(async () => {
    await rig?.hub.stop();
    await killAll();
    rmSync(folder, { recursive: true, force: true });
  });
  const present = () => {
    if (!rig) throw new Error('the hub starts before the first test');
    return rig;
  };
  return {
    folder,
    get hub() {
      return present().hub;
    },
    get rig() {
      return present();
    },
  };
}
