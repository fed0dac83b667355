/** A playing preview is use of the console: whoever watches it presses no keys. */
import { useEffect } from 'react';

/** Dispatched on the document while something plays. */
export const watchingEvent = 'signalbox-watching';
/** Shorter than the shortest pause between two keep-alive calls. */
const againMs = 10_000;

export function useWatching(isPlaying: boolean): void {
  useEffect(() => {
    if (!isPlaying) return;
    const tell = () => document.dispatchEvent(new Event(watchingEvent));
    tell();
    const timer = setInterval(tell, againMs);
    return () => clearInterval(timer);
  }, [isPlaying]);
}
