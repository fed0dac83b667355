/**
 * Completes a reset on an appliance, whose operating system also has settings. The data folder lists the remaining
 * areas, so that the hub continues after a power cut. The hub retries areas that cannot be reset yet.
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

/** Returns a function that stops the retries. */
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
