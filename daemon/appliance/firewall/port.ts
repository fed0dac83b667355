/** The packet filter of the machine. Other code knows only this. */
import type { Asker } from '../helper/operations.ts';
import type { FirewallReading, FirewallSetup } from './setup.ts';

/** Its calls throw MissingPart without the helper or nftables, and `ioFailed` with the reason if the filter refuses. */
export interface FirewallPort {
  /**
   * Replaces the whole filter in one step; if that fails, what was there stays in effect. Connections to ports that are
   * closed by it end at once, those of the console and of the hub itself continue.
   */
  apply(setup: FirewallSetup, asker: Asker): Promise<FirewallReading>;
  read(): Promise<FirewallReading>;
}
