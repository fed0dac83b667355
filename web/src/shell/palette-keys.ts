/** The keys that open the palette, as labeled on the user's keyboard. */
export const paletteKeys: readonly string[] = [/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl', 'K'];
