/** Checkpoints of NetworkManager, which undo changes by themselves, also if the hub ends meanwhile. */
import type { Bus } from './dbus/bus.ts';
import { DBusError } from './dbus/dbus-error.ts';
import { callManager, service } from './nm-objects.ts';

export interface Checkpoint {
  readonly path: string;
  /** Milliseconds of the clock since boot: a path alone may be one of a later NetworkManager. */
  readonly created: number;
}

const deleteNewConnections = 2;

/** `devices` are paths; none for all. */
export async function createCheckpoint(bus: Bus, devices: readonly string[], seconds: number): Promise<Checkpoint> {
  const body = [[...devices], seconds, deleteNewConnections];
  const [created] = await callManager(bus, { member: 'CheckpointCreate', signature: 'aouu', body });
  const path = String(created);
  const at = await bus.property({ destination: service, path }, `${service}.Checkpoint`, 'Created');
  return { path, created: Number(at) };
}

/** Ends it, so that the change stays. Returns false if it has undone the change, or is gone. */
export async function endCheckpoint(bus: Bus, checkpoint: Checkpoint): Promise<boolean> {
  return (await exists(bus, checkpoint)) && end(bus, 'CheckpointDestroy', checkpoint);
}

/** Undoes the change now, unless that has happened already. */
export async function rollBack(bus: Bus, checkpoint: Checkpoint): Promise<void> {
  if (await exists(bus, checkpoint)) await end(bus, 'CheckpointRollback', checkpoint);
}

const end = (bus: Bus, member: string, { path }: Checkpoint) =>
  unlessRefused(callManager(bus, { member, signature: 'o', body: [path] }));

async function exists(bus: Bus, { path, created }: Checkpoint): Promise<boolean> {
  const object = { destination: service, path };
  let at: unknown;
  await unlessRefused(
    bus.property(object, `${service}.Checkpoint`, 'Created').then((value) => {
      at = value;
    }),
  );
  return at === created;
}

/** False if NetworkManager refused it, because the object is gone. */
async function unlessRefused(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof DBusError && error.fault === 'refused') return false;
    throw error;
  }
}
