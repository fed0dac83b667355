import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';

/** What the sign-in page can show: its load must not grow with the console. */
const entry = [
  'web/src/App.tsx',
  'web/src/features/auth',
  'web/src/i18n/result-text.ts',
  'web/src/i18n/rule-text.ts',
  'web/src/shared/password',
  'web/src/shell/connection',
  'web/src/shell/frame/RootBoundary.tsx',
  'web/src/ui/feedback/ToastList.tsx',
];
/** What the dashboard and the frame around every page can show: the first load after sign-in. A test follows its imports. */
const inside = [
  'web/src/routes.tsx',
  'web/src/features/dashboard',
  'web/src/i18n/alarm-text.ts',
  'web/src/i18n/device-problem-text.ts',
  'web/src/i18n/group-name.ts',
  'web/src/i18n/part-text.ts',
  'web/src/i18n/reason-text.ts',
  'web/src/shared/page',
  'web/src/shared/preview/Thumbnail.tsx',
  'web/src/shared/streams/state-look.ts',
  'web/src/shell',
  'web/src/ui',
];
/** Tables are on the other pages only. */
const table = 'web/src/ui/table';
const insideAlone = inside.map((path) => (path === 'web/src/ui' ? 'web/src/ui/!(table)/**' : path));
/** Hubs without devices never load their texts. */
const devices = [
  'web/src/features/devices',
  'web/src/features/firmware',
  'web/src/features/search',
  'web/src/shared/devices',
  'web/src/shared/firmware',
];
/** Only appliances have these pages. Any hub has what asks for the confirmation of a change, but seldom loads it. */
const appliance = [
  'web/src/features/firewall',
  'web/src/features/network',
  'web/src/features/routes',
  'web/src/features/settings/ClockState.tsx',
  'web/src/features/settings/HostNameSettings.tsx',
  'web/src/features/settings/TimeSettings.tsx',
  'web/src/features/wifi',
  'web/src/shared/appliance',
  'web/src/shared/confirmed-change',
];
/** Certificate, import, reset and restart, which are seldom opened. */
const upkeep = ['web/src/features/certificate', 'web/src/features/upkeep'];
/** Only hubs with an NDI router have it. */
const ndi = ['web/src/features/ndi-router'];
const never = ['**/*.test.*'];

// Every @lingui package is pinned at 6.8.0: from 6.10.1 the command line needs a package that the registry doesn't have.
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'zh'],
  catalogs: [
    { path: 'web/src/i18n/locales/{locale}/entry', include: entry, exclude: never },
    { path: 'web/src/i18n/locales/{locale}/inside', include: inside, exclude: [...never, ...entry, table] },
    // Comes with the first page that isn't the dashboard.
    {
      path: 'web/src/i18n/locales/{locale}/pages',
      include: ['web/src'],
      exclude: [...never, ...entry, ...insideAlone, ...devices, ...appliance, ...upkeep, ...ndi],
    },
    { path: 'web/src/i18n/locales/{locale}/devices', include: devices, exclude: never },
    { path: 'web/src/i18n/locales/{locale}/appliance', include: appliance, exclude: never },
    { path: 'web/src/i18n/locales/{locale}/upkeep', include: upkeep, exclude: never },
    { path: 'web/src/i18n/locales/{locale}/ndi', include: ndi, exclude: never },
  ],
  // Line numbers would make every edit of a page a change of the catalogs.
  format: formatter({ lineNumbers: false }),
});
