/**
 * Completes a reset on an appliance, whose operating system has settings, too. The data folder names what is left to do,
 * so that the hub that starts after a power cut continues. What cannot be reset yet is tried again.
 */
import type { Appliance } from '../../appliance/appliance.ts';
import type { SystemArea } from '../../contract/power-fields.ts';
import type { Log } from '../../lib/log.ts';
import { readSystemReset, writeSystemReset } from '../../store/reset.ts';

export interface SystemResetDeps {
  readonly dataDir: string;
  readonly machine: Pick<Appliance, 'net' | 'wifi' | 'power'>;
  readonly log: Log;
  /** Between two attempts. */
  readonly retryMs: number;
}

/** Returns a function that ends the attempts. */
export function continueSystemReset({ dataDir, machine, log, retryMs }: SystemResetDeps): () => void {
  let isOver = false;
  let timer: Timer | undefined;
  let complaint = '';

  const resetArea = async (area: SystemArea): Promise<void> => {
    if (area !== 'network') return machine.power.reset(area);
    await machine.net.reset();
    await machine.wifi.forgetAll();
  };
  const attempt = async (): Promise<void> => {
    const faults: string[] = [];
    for (const area of readSystemReset(dataDir)) {
      if (isOver) return;
      try {
        await resetArea(area);
        log.info('settings of the operating system have been reset', { area });
        const left = readSystemReset(dataDir).filter((one) => one !== area);
        writeSystemReset(dataDir, left);
      } catch (error) {
        faults.push(`${area}: ${error instanceof Error ? error.message : error}`);
      }
    }
    if (faults.length === 0 || isOver) return;
    const reason = faults.join('; ');
    if (reason !== complaint) log.error('settings of the operating system cannot be reset yet', { reason });
    complaint = reason;
    timer = setTimeout(() => void attempt(), retryMs);
    timer.unref();
  };

  void attempt();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
