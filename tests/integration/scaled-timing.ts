/** For files that wait for slow times of the hub or the engine: both run with a fifth of them. */
import { dividedTiming } from '../../daemon/timing.ts';

export const timeDivisor = 5;
/** What a hub or an engine with this divisor waits. Expected times and limits are derived from it. */
export const scaledTiming = dividedTiming(timeDivisor);
