import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';

// Every @lingui package is pinned at 6.8.0: from 6.10.1 the command line needs a package that the registry doesn't have.
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'zh'],
  catalogs: [{ path: 'web/src/i18n/locales/{locale}', include: ['web/src'], exclude: ['**/*.test.*'] }],
  // Line numbers would make every edit of a page a change of the catalogs.
  format: formatter({ lineNumbers: false }),
});
