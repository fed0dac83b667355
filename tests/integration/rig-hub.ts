/** The hub of one test file, with its rig and a folder for recordings: started before its tests, removed after them. */
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
  /** Available from the first test on. */
  readonly hub: HubProcess;
  readonly rig: RelayRig;
}

const startMs = 60_000;

interface RigHubOptions {
  readonly name: string;
  /** 1, or the divisor of scaled-timing.ts in files that wait for slow times. */
  readonly timeDivisor: number;
  /** Returns environment variables for the hub; called before it starts. */
  readonly environment?: (folder: string) => Promise<Record<string, string>>;
  /** Maximum number of open files of the hub and its engine. */
  readonly openFiles?: number;
}

/** Call once at the top level of a test file: this registers hooks. */
export function openRigHub({ name, environment = async () => ({}), ...options }: RigHubOptions): RigHub {
  const folder = mkdtempSync(join(tmpdir(), `sb-${name}-`));
  let rig: RelayRig | undefined;
  beforeAll(async () => {
    // Encodes the clip now, so that encoding does not slow down tests that run concurrently.
    loopClip(source);
    const hub = await startHub({ env: await environment(folder), ...options });
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
