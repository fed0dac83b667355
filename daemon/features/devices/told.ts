/** What each device was told last to send and to play. It is sealed: it has keys and passphrases. */
import type { StreamSource, StreamTarget } from '../../devices/driver.ts';
import type { DeviceContext } from './service.ts';
import { type DeviceRow, updateDevices } from './store.ts';

export interface Told {
  readonly input?: StreamTarget | undefined;
  readonly output?: StreamSource | undefined;
}

export type ToldStore = ReturnType<typeof createToldStore>;

export function createToldStore({ db, secrets, inventory }: Pick<DeviceContext, 'db' | 'secrets' | 'inventory'>) {
  const opened = new WeakMap<DeviceRow, Told>();
  const of = (row: DeviceRow): Told => {
    let told = opened.get(row);
    if (told === undefined) {
      told = row.told === null ? {} : (JSON.parse(secrets.open(row.told)) as Told);
      opened.set(row, told);
    }
    return told;
  };
  return {
    of,
    /** The column with a change of it. A side that is undefined is what the device was told to end. */
    changed(row: DeviceRow, change: Told): Pick<DeviceRow, 'told'> {
      const { input, output } = { ...of(row), ...change };
      if (input === undefined && output === undefined) return { told: null };
      return { told: secrets.seal(JSON.stringify({ input, output })) };
    },
    /** Stores a change without telling the other parts of the hub. */
    store({ sn }: DeviceRow, change: Told): void {
      const row = inventory.devices().get(sn)?.row;
      if (row === undefined) return;
      updateDevices(db, [row.id], this.changed(row, change));
      inventory.reload([sn]);
    },
  };
}
