import { create } from 'zustand';

/** Number before the title of the window: alarms that call for attention. */
export const useTitleCount = create<{ readonly count: number }>(() => ({ count: 0 }));
