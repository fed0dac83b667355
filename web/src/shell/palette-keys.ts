/** The keys that open the palette, as they are labelled on the keyboard of whoever asks. */
export const paletteKeys: readonly string[] = [/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl', 'K'];
