import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

/** The primary color is the ink color, so that green, amber and red are reserved for states. */
const ink: MantineColorsTuple = [
  '#f7f8fa',
  '#e9ecf1',
  '#cfd5dd',
  '#b3bbc6',
  '#97a1ae',
  '#7b8694',
  '#5f6976',
  '#464e59',
  '#2b313a',
  '#171b21',
];
const dark: MantineColorsTuple = [
  '#e9ecf1',
  '#c3c9d2',
  '#a0a8b4',
  '#6b7482',
  '#333943',
  '#262b33',
  '#1c2026',
  '#16191e',
  '#0f1114',
  '#0c0e11',
];
/** Text on a filled button uses the page color in both schemes; the library would always use white. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  if (input.variant !== 'filled') return colors;
  if (input.color === 'fault') {
    return { ...colors, background: 'var(--sb-danger)', hover: 'var(--sb-danger-hover)', color: '#fff' };
  }
  return input.color === undefined || input.color === 'ink' ? { ...colors, color: 'var(--sb-page)' } : colors;
};

export const theme = createTheme({
  colors: { ink, dark },
  primaryColor: 'ink',
  primaryShade: { light: 9, dark: 1 },
  variantColorResolver,
  black: '#14171c',
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '16px' },
  fontFamily:
    'system-ui, -apple-system, "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'var(--sb-mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.45', xl: '1.3' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '28px' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Plain objects: importing the components here would put all of them into the first bundle.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    // With an explicit variant, the color resolver applies.
    Button: { defaultProps: { size: 'sm', variant: 'filled' } },
    Checkbox: { defaultProps: { iconColor: 'var(--sb-page)', size: 'sm' } },
    Modal: {
      defaultProps: { centered: true, transitionProps: { duration: 120 } },
    },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NativeSelect: { defaultProps: { size: 'sm' } },
    Switch: { defaultProps: { size: 'sm', withThumbIndicator: false } },
    TextInput: { defaultProps: { size: 'sm' } },
  },
});

/** Mantine's own variables, derived from the tokens: its defaults for dimmed text and placeholders fail WCAG AA. */
const shared = {
  '--mantine-color-body': 'var(--sb-panel)',
  '--mantine-color-text': 'var(--sb-ink)',
  '--mantine-color-dimmed': 'var(--sb-ink-2)',
  '--mantine-color-placeholder': 'var(--sb-ink-2)',
  '--mantine-color-error': 'var(--sb-fault)',
  '--mantine-color-anchor': 'var(--sb-ink)',
  '--mantine-color-default': 'var(--sb-panel)',
  '--mantine-color-default-hover': 'var(--sb-hover)',
  '--mantine-color-default-color': 'var(--sb-ink)',
  '--mantine-color-default-border': 'var(--sb-line)',
  '--mantine-color-disabled': 'var(--sb-off-tint)',
  '--mantine-color-disabled-color': 'var(--sb-ink-2)',
  '--mantine-primary-color-light-color': 'var(--sb-ink)',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...shared, '--mantine-color-gray-light-color': 'var(--sb-ink-2)' },
  dark: { ...shared, '--mantine-color-gray-light-color': 'var(--sb-ink-2)' },
});

/** The key is also read by first-paint.js. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'signalbox-color-scheme' });
