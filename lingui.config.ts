import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';

/** What the sign-in page can show: its load must not grow with the console. */
const entry = [
  'web/src/App.tsx',
  'web/src/features/auth',
  'web/src/i18n/result-text.ts',
  'web/src/i18n/rule-text.ts',
  'web/src/shell/ConnectionOverlay.tsx',
  'web/src/shell/RootBoundary.tsx',
  'web/src/ui/ToastList.tsx',
];
const never = ['**/*.test.*'];

// Every @lingui package is pinned at 6.8.0: from 6.10.1 the command line needs a package that the registry doesn't have.
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'zh'],
  catalogs: [
    { path: 'web/src/i18n/locales/{locale}/entry', include: entry, exclude: never },
    { path: 'web/src/i18n/locales/{locale}/inside', include: ['web/src'], exclude: [...never, ...entry] },
  ],
  // Line numbers would make every edit of a page a change of the catalogs.
  format: formatter({ lineNumbers: false }),
});
