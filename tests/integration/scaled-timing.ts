/** For tests that wait for slow timers: they run the hub and the engine with a fifth of these times. */
import { dividedTiming } from '../../daemon/timing.ts';

export const timeDivisor = 5;
/** The timeouts and delays of a hub or an engine with this divisor. Tests derive expected times and limits from it. */
export const scaledTiming = dividedTiming(timeDivisor);
