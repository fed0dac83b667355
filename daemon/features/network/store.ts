/** Which interface of the machine is which port, in the table of settings. */
import { eq } from 'drizzle-orm';
import type { EthernetPort } from '../../contract/network-fields.ts';
import type { Queries } from '../../store/database.ts';
import { settings } from '../../store/schema.ts';

/** By port, what stays the same of its interface when the kernel names it differently. */
export type PortHardware = Readonly<Partial<Record<EthernetPort, string>>>;

const name = 'network';
/** Of which the revision belongs to the settings of the ports. */
export const edited = { noun: 'settings', id: name } as const;

export function readHardware(db: Queries): PortHardware {
  const row = db.select({ value: settings.value }).from(settings).where(eq(settings.name, name)).get();
  return row === undefined ? {} : (JSON.parse(row.value) as PortHardware);
}

export function writeHardware(db: Queries, hardware: PortHardware): void {
  const value = JSON.stringify(hardware);
  db.insert(settings).values({ name, value }).onConflictDoUpdate({ target: settings.name, set: { value } }).run();
}
