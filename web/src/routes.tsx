/** The single table of pages: routes, menu, breadcrumb and titles are derived from it. */
import { msg } from '@lingui/core/macro';
import {
  IconAdjustments,
  IconAlertTriangle,
  IconBell,
  IconBroadcast,
  IconCalendarTime,
  IconCertificate,
  IconCircleX,
  IconCpu,
  IconDeviceTv,
  IconDownload,
  IconGridDots,
  IconHourglassLow,
  IconInfoCircle,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconNetwork,
  IconRoute,
  IconRoute2,
  IconSend,
  IconServer2,
  IconStar,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react';
import { type ComponentType, lazy } from 'react';
import { addTexts, type Part } from './i18n/i18n.ts';
import { asPage } from './lib/first-page.ts';
import { lazyPart, loadPart } from './lib/lazy-part.tsx';
import { paths } from './lib/paths.ts';
import type { PageRoute } from './shell/frame/page-routes.ts';

type Load = () => Promise<{ default: ComponentType }>;

/** A page that is loaded with its texts. */
function page(load: Load, ...further: readonly Part[]): Pick<PageRoute, 'fetch' | 'page'> {
  const texts = () => Promise.all(['pages' as const, ...further].map(addTexts));
  const loadAll = async () => (await Promise.all([loadPart(load), texts()]))[0];
  return { fetch: load, page: lazy(asPage(loadAll)) };
}

/** The page that is loaded first: its texts are those of the frame around it. */
function firstPage(load: Load): Pick<PageRoute, 'fetch' | 'page'> {
  return { fetch: load, page: lazy(asPage(() => loadPart(load))) };
}

const deviceList = {
  skeleton: 'table',
  scope: 'deviceView',
  needs: 'devices',
  section: 'devices',
  ...page(() => import('./features/devices/DeviceListPage.tsx'), 'devices'),
} as const;

/** In menu order. */
export const pageRoutes: readonly PageRoute[] = [
  {
    path: paths.dashboard,
    icon: IconLayoutDashboard,
    title: msg`Dashboard`,
    scope: 'signedIn',
    ...firstPage(() => import('./features/dashboard/DashboardPage.tsx')),
  },
  {
    path: paths.search,
    title: msg`Search`,
    scope: 'signedIn',
    menuPath: paths.search,
    skeleton: 'table',
    ...page(() => import('./features/search/SearchPage.tsx'), 'devices'),
  },
  {
    path: paths.alarms,
    icon: IconBell,
    title: msg`Alarms`,
    scope: 'channelView',
    skeleton: 'table',
    ...page(() => import('./features/alarms/AlarmListPage.tsx')),
  },
  {
    path: paths.channels,
    skeleton: 'table',
    icon: IconBroadcast,
    title: msg`Channels`,
    scope: 'channelView',
    section: 'streaming',
    ...page(() => import('./features/channels/ChannelListPage.tsx')),
  },
  {
    path: paths.channelDetail,
    title: msg`Channel`,
    scope: 'channelView',
    section: 'streaming',
    menuPath: paths.channels,
    ...page(() => import('./features/channels/ChannelDetailPage.tsx')),
  },
  {
    path: paths.inputs,
    skeleton: 'table',
    icon: IconDownload,
    title: msg`Inputs`,
    scope: 'ioView',
    section: 'streaming',
    ...page(() => import('./features/inputs/InputListPage.tsx')),
  },
  {
    path: paths.outputs,
    skeleton: 'table',
    icon: IconSend,
    title: msg`Outputs`,
    scope: 'ioView',
    section: 'streaming',
    ...page(() => import('./features/outputs/OutputListPage.tsx')),
  },
  {
    path: paths.servers,
    skeleton: 'table',
    icon: IconServer2,
    title: msg`Destinations`,
    scope: 'ioView',
    section: 'streaming',
    ...page(() => import('./features/servers/ServerListPage.tsx')),
  },
  { ...deviceList, path: paths.pendingDevices, icon: IconHourglassLow, title: msg`Pending approval` },
  { ...deviceList, path: paths.rejectedDevices, icon: IconCircleX, title: msg`Rejected` },
  { ...deviceList, path: paths.devices, icon: IconDeviceTv, title: msg`All devices` },
  { ...deviceList, path: paths.warningDevices, icon: IconAlertTriangle, title: msg`Warnings` },
  { ...deviceList, path: paths.favoriteDevices, icon: IconStar, title: msg`Favorites` },
  // The menu has the groups as a tree.
  { ...deviceList, path: paths.deviceGroup, title: msg`Device group`, menuPath: paths.deviceGroup },
  {
    path: paths.deviceDetail,
    title: msg`Device`,
    scope: 'deviceView',
    needs: 'devices',
    section: 'devices',
    menuPath: paths.devices,
    ...page(() => import('./features/devices/DevicePage.tsx'), 'devices'),
  },
  {
    path: paths.schedules,
    skeleton: 'table',
    icon: IconCalendarTime,
    title: msg`Schedules`,
    scope: 'deviceView',
    needs: 'devices',
    section: 'devices',
    ...page(() => import('./features/devices/schedules/ScheduleListPage.tsx'), 'devices'),
  },
  {
    path: paths.forwards,
    skeleton: 'table',
    icon: IconRoute,
    title: msg`Port forwarding`,
    scope: 'deviceView',
    needs: 'devices',
    section: 'devices',
    ...page(() => import('./features/devices/forwards/ForwardListPage.tsx'), 'devices'),
  },
  {
    path: paths.firmware,
    icon: IconCpu,
    title: msg`Firmware`,
    scope: 'firmwareView',
    needs: 'devices',
    section: 'devices',
    skeleton: 'table',
    ...page(() => import('./features/firmware/FirmwareListPage.tsx'), 'devices'),
  },
  {
    path: paths.ndiRouter,
    icon: IconGridDots,
    title: msg`NDI Router`,
    scope: 'ndiView',
    needs: 'ndiRouter',
    menuAfter: 'devices',
    ...page(() => import('./features/ndi-router/NdiRouterPage.tsx'), 'ndi'),
  },
  {
    path: paths.ndiWall,
    title: msg`NDI Router`,
    scope: 'ndiView',
    needs: 'ndiRouter',
    menuPath: paths.ndiRouter,
    isAlone: true,
    ...page(() => import('./features/ndi-router/NdiWallPage.tsx'), 'ndi'),
  },
  {
    path: paths.generalSettings,
    icon: IconAdjustments,
    title: msg`General`,
    scope: 'systemView',
    section: 'settings',
    ...page(() => import('./features/settings/GeneralSettingsPage.tsx')),
  },
  {
    path: paths.certificate,
    icon: IconCertificate,
    title: msg`Certificate`,
    scope: 'systemView',
    section: 'settings',
    ...page(() => import('./features/certificate/CertificatePage.tsx'), 'upkeep'),
  },
  {
    path: paths.network,
    icon: IconNetwork,
    title: msg`Network`,
    scope: 'systemView',
    needs: 'hardware',
    section: 'settings',
    ...page(() => import('./features/network/NetworkPage.tsx'), 'appliance'),
  },
  {
    path: paths.networkRoutes,
    skeleton: 'table',
    icon: IconRoute2,
    title: msg`Network routes`,
    scope: 'systemView',
    needs: 'hardware',
    section: 'settings',
    ...page(() => import('./features/routes/RouteListPage.tsx'), 'appliance'),
  },
  {
    path: paths.firewall,
    title: msg`Firewall`,
    scope: 'systemView',
    needs: 'hardware',
    section: 'settings',
    menuPath: paths.network,
    ...page(() => import('./features/firewall/FirewallPage.tsx'), 'appliance'),
  },
  {
    path: paths.deviceSettings,
    icon: IconDeviceTv,
    title: msg`Device settings`,
    scope: 'deviceView',
    needs: 'devices',
    section: 'settings',
    ...page(() => import('./features/devices/settings/DeviceSettingsPage.tsx'), 'devices'),
  },
  {
    path: paths.users,
    skeleton: 'table',
    icon: IconUsers,
    title: msg`Users and groups`,
    scope: 'userControl',
    section: 'settings',
    ...page(() => import('./features/users/UserListPage.tsx')),
  },
  {
    path: paths.userGroup,
    title: msg`User group`,
    scope: 'userControl',
    section: 'settings',
    menuPath: paths.users,
    ...page(() => import('./features/users/GroupPage.tsx')),
  },
  {
    path: paths.profile,
    icon: IconUserCircle,
    title: msg`Profile`,
    scope: 'signedIn',
    section: 'settings',
    ...page(() => import('./features/profile/ProfilePage.tsx')),
  },
  {
    path: paths.logs,
    skeleton: 'table',
    icon: IconListDetails,
    title: msg`Logs`,
    scope: 'admin',
    section: 'settings',
    ...page(() => import('./features/logs/LogPage.tsx')),
  },
  {
    path: paths.tokens,
    skeleton: 'table',
    icon: IconKey,
    title: msg`Access tokens`,
    scope: 'signedIn',
    section: 'settings',
    ...page(() => import('./features/tokens/TokenListPage.tsx')),
  },
  {
    path: paths.about,
    icon: IconInfoCircle,
    title: msg`About`,
    scope: 'signedIn',
    section: 'settings',
    ...page(() => import('./features/about/AboutPage.tsx')),
  },
  {
    path: paths.importSettings,
    title: msg`Import settings`,
    scope: 'admin',
    menuPath: paths.generalSettings,
    isAlone: true,
    ...page(() => import('./features/upkeep/ImportPage.tsx'), 'upkeep'),
  },
  {
    path: paths.reset,
    title: msg`Reset all settings`,
    scope: 'admin',
    menuPath: paths.generalSettings,
    isAlone: true,
    ...page(() => import('./features/upkeep/ResetPage.tsx'), 'upkeep'),
  },
  {
    path: paths.reboot,
    title: msg`Restart`,
    scope: 'systemEdit',
    menuPath: paths.generalSettings,
    isAlone: true,
    ...page(() => import('./features/upkeep/RebootPage.tsx'), 'upkeep'),
  },
];

export const fetchSignIn = () => import('./features/auth/SignInPage.tsx');
export const SignInPage = lazyPart(fetchSignIn);
export const SetupPage = lazyPart(() => import('./features/auth/SetupPage.tsx'));
