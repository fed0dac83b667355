import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';

/** The acting colour is ink itself, so that green, amber and red are left to mean something. */
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
/** For the button of an act that destroys; white on shade 8 and ink on shade 4 both pass AA. */
const fault: MantineColorsTuple = [
  '#fff0ef',
  '#fde0df',
  '#fbbdbb',
  '#ff9a96',
  '#ff7b76',
  '#ef4f4b',
  '#db3a38',
  '#cc2d2e',
  '#bf2327',
  '#a01b20',
];

export const theme = createTheme({
  colors: { ink, dark, fault },
  primaryColor: 'ink',
  primaryShade: { light: 9, dark: 1 },
  autoContrast: true,
  luminanceThreshold: 0.3,
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
  // Plain objects: naming the components here would put all of them into the first bundle.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Button: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: { centered: true, transitionProps: { duration: 120 }, overlayProps: { backgroundOpacity: 0.55 } },
    },
    NumberInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Select: {
      defaultProps: { size: 'sm', allowDeselect: false, comboboxProps: { transitionProps: { duration: 0 } } },
    },
    TextInput: { defaultProps: { size: 'sm' } },
    Tooltip: {
      defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: false }, withArrow: true },
    },
  },
});

/** Mantine's own variables, drawn from the tokens: its defaults for dimmed text and placeholders miss AA. */
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
