import { useDebouncedValue } from '@mantine/hooks';

const pauseMs = 250;

/** The text once its typing has paused; at once when it is cleared. */
export function useQuietSearch(text: string): string {
  const [quiet] = useDebouncedValue(text, pauseMs);
  return text === '' ? text : quiet;
}
