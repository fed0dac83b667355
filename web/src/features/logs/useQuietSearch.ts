import { useDebouncedValue } from '@mantine/hooks';

const pauseMs = 250;

/** Debounces the search text; clearing takes effect immediately. */
export function useQuietSearch(text: string): string {
  const [quiet] = useDebouncedValue(text, pauseMs);
  return text === '' ? text : quiet;
}
