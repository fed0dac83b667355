import { useMediaQuery } from '@mantine/hooks';

/*
 * Size classes by the width of the window in pixels: below 480, below 768 (phones), below 1024, below 1440, and above.
 * Media queries of style sheets use the same numbers.
 */

const useMaxWidth = (width: number) =>
  useMediaQuery(`(max-width: ${width}px)`, undefined, { getInitialValueInEffect: false }) === true;

/** Whether the screen is as narrow as a phone's. */
export function usePhone(): boolean {
  return useMaxWidth(767);
}

/** Whether the screen is at most as wide as that of a tablet held upright, where lists are cards. */
export function useTablet(): boolean {
  return useMaxWidth(1023);
}
