/** The task that upgrades devices: in which order, how many at a time, and when it stops. */
import { open } from 'node:fs/promises';
import type { ItemUpgrade } from '../../contract/device-upgrade-fields.ts';
import type { ResultName } from '../../contract/result.ts';
import type { TaskItem } from '../../contract/tasks.ts';
import type { Actor, Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import type { FirmwareLibrary } from '../firmware/library.ts';
import type { TaskRun } from '../tasks/running-task.ts';
import { upgradeError } from './faults.ts';
import { type OneUpgrade, type UpgradeTimes, upgradeDevice } from './one-device.ts';
import { isWriting } from './state.ts';

/** Stored with the task. */
export interface UpgradeOrder {
  readonly firmwareId: number;
  readonly actor: Actor;
  readonly maxParallel: number;
  readonly canary: boolean;
  /** 0: never. */
  readonly stopAfterFailures: number;
}

interface RunDeps {
  readonly keep: (sn: string) => ReturnType<OneUpgrade['keep']>;
  readonly isAccepted: (sn: string) => boolean;
  /** Whether the user who started the task still sees the device and may control it. */
  readonly mayControl: (sn: string, session: Session | null) => boolean;
  readonly library: () => Promise<FirmwareLibrary>;
  readonly bucket: TokenBucket;
  /** Of the devices of all tasks, some are upgraded at the same time, and the others wait. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly times: UpgradeTimes;
  readonly now: () => number;
  /** What is known of the device's upgrade has changed. */
  readonly onChange: (sn: string, upgrade: ItemUpgrade) => void;
  /** The upgrade of a device has ended. */
  readonly onEnd: (item: TaskItem, result: ResultName, reason: string) => void;
}

/** Bytes that are read from the disk and handed to the device at a time. */
const partBytes = 64 * 1024;

const nothingKnown: ItemUpgrade = { step: 'waiting', percent: 0, from: '', to: '', started: 0, ended: 0 };

export async function runUpgrades(deps: RunDeps, run: TaskRun, order: UpgradeOrder, isResumed: boolean): Promise<void> {
  const { canary, maxParallel, stopAfterFailures } = order;
  const library = await deps.library();
  const release = held(library, order.firmwareId, `task ${run.id}`);
  const upgrade = (item: TaskItem) => deps.inTurn(() => upgradeItem(deps, run, order, isResumed, item));
  const count = (state: TaskItem['state']) => run.items.filter((item) => item.state === state).length;
  const isStopped = () => stopAfterFailures > 0 && count('failed') >= stopAfterFailures;
  try {
    // Devices that were writing when the hub stopped are followed at once, whatever the plan says.
    await run.eachItem(run.items.length, upgrade, (item) => isWriting(stepOf(item)));
    if (canary && count('done') === 0) {
      let isTried = count('failed') > 0;
      await run.eachItem(1, upgrade, () => {
        const isNext = !isTried;
        isTried = true;
        return isNext;
      });
      if (count('done') === 0) {
        run.skipWaiting(new HubError('canceled', 'the upgrade of the first device failed'));
        return;
      }
    }
    await run.eachItem(maxParallel, upgrade, () => !isStopped());
    if (isStopped()) run.skipWaiting(new HubError('canceled', `stopped after ${stopAfterFailures} failures`));
  } finally {
    release();
  }
}

export const stepOf = ({ upgrade }: TaskItem) => (upgrade ?? nothingKnown).step;

/** Keeps the file while devices may need it. Does nothing if it is gone: a device that is writing needs it no longer. */
function held(library: FirmwareLibrary, id: number, by: string): () => void {
  try {
    return library.hold(id, by);
  } catch {
    return () => {};
  }
}

async function upgradeItem(
  deps: RunDeps,
  run: TaskRun,
  order: UpgradeOrder,
  isResumed: boolean,
  item: TaskItem,
): Promise<void> {
  const { keep, library, bucket, times, now, onChange, onEnd } = deps;
  const sn = item.key;
  const show = (upgrade: ItemUpgrade) => {
    run.showItem(sn, { upgrade });
    onChange(sn, upgrade);
  };
  try {
    await upgradeDevice({
      async keep() {
        if (!isWriting(stepOf(item)) && !deps.mayControl(sn, run.session())) {
          throw upgradeError('notPermitted', 'the user who started the upgrade may no longer control the device');
        }
        return await keep(sn);
      },
      file: async (signal) => fileFor(await library(), order.firmwareId, bucket, signal),
      known: item.upgrade ?? nothingKnown,
      ...{ isResumed, times, now, signal: run.signal, stopping: run.stopping, show },
      store(upgrade) {
        onChange(sn, upgrade);
        return run.storeItem(sn, { upgrade });
      },
      onWriting: () => run.keepItem(sn),
    });
    onEnd(item, 'success', '');
  } catch (thrown) {
    if (run.stopping.aborted) throw thrown;
    const error =
      deps.isAccepted(sn) || run.signal.aborted
        ? thrown
        : upgradeError('lost', 'the device was deleted or rejected meanwhile');
    onEnd(item, resultOf(error), reasonOf(error));
    throw error;
  }
}

const resultOf = (error: unknown): ResultName => (error instanceof HubError ? error.result : 'unknownError');

const reasonOf = (error: unknown): string =>
  error instanceof HubError ? `${error.params?.reason ?? error.result}` : 'unknownError';

/** Reads the file no faster than all transfers together may send. */
function fileFor(library: FirmwareLibrary, id: number, bucket: TokenBucket, signal: AbortSignal) {
  const { path, fileName, size } = found(library, id);
  return {
    ...{ name: fileName, bytes: size },
    async *read() {
      const transfer = bucket.add();
      const handle = await open(path, 'r');
      try {
        for (let at = 0; at < size; ) {
          const wanted = Math.min(partBytes, size - at);
          await transfer.take(wanted, signal);
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
          if (bytesRead === 0) throw new Error('the firmware file has become shorter');
          yield buffer.subarray(0, bytesRead);
          at += bytesRead;
        }
      } finally {
        await handle.close();
      }
    },
  };
}

function found(library: FirmwareLibrary, id: number) {
  try {
    return library.find(id);
  } catch {
    throw upgradeError('fileMissing', 'the firmware file is no longer in the library');
  }
}
