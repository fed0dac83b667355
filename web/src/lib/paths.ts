/** All addresses of the console. */
export const paths = {
  signIn: '/login',
  setup: '/setup',
  dashboard: '/dashboard',
  search: '/search',
  alarms: '/alarms',
  channels: '/stream/channels',
  channelDetail: '/stream/channel/detail/:channelId',
  inputs: '/stream/input',
  outputs: '/stream/output',
  servers: '/stream/server',
  pendingDevices: '/devices/pending',
  rejectedDevices: '/devices/rejected',
  devices: '/devices/all',
  warningDevices: '/devices/warning',
  favoriteDevices: '/devices/favorite',
  deviceGroup: '/devices/:list',
  firmware: '/settings/firmware',
  deviceDetail: '/device/detail/:sn/:group?',
  forwards: '/portforward',
  schedules: '/schedules',
  ndiRouter: '/ndi-router',
  ndiWall: '/ndi-router/wall',
  generalSettings: '/settings/general',
  certificate: '/settings/certificate',
  network: '/settings/network',
  networkRoutes: '/settings/networkroute',
  firewall: '/settings/firewall',
  deviceSettings: '/settings/devices',
  users: '/settings/user',
  userGroup: '/settings/user-group/:groupId',
  tokens: '/settings/access-tokens',
  profile: '/settings/profile',
  logs: '/settings/logs',
  about: '/settings/about',
  reset: '/reset-all-settings',
  importSettings: '/import-settings',
  reboot: '/reboot',
} as const;

/** The dialog of an object that has no page of its own. */
export function editPath(list: typeof paths.inputs | typeof paths.outputs | typeof paths.servers, id: number): string {
  return `${list}?dialog=edit&id=${id}`;
}

/** The parts of the page About that the footer of the menu links to. */
export type AboutPart = 'support' | 'legal' | 'license' | 'help';

export function aboutPath(part: AboutPart): string {
  return `${paths.about}?part=${part}`;
}

/** The dialog of an output of the NDI router. */
export function ndiOutputPath(id: number): string {
  return `${paths.ndiRouter}?dialog=output&id=${id}`;
}

export function channelPath(id: number): string {
  return paths.channelDetail.replace(':channelId', String(id));
}

/** Of the devices in a group; 0: those in none. */
export function deviceGroupPath(id: number): string {
  return `/devices/group-${id}`;
}

/** `from`: the list whose menu entry stays highlighted. */
export function devicePath(sn: string, from?: string): string {
  const path = `/device/detail/${encodeURIComponent(sn)}`;
  return from === undefined || from === paths.devices ? path : `${path}?${new URLSearchParams({ from })}`;
}

/** A list that shows what has this text in it. */
export function searchedPath(list: string, text: string): string {
  return `${list}?${new URLSearchParams({ q: text })}`;
}

export function groupPath(id: number): string {
  return paths.userGroup.replace(':groupId', String(id));
}

/** Destination after sign-in. Only addresses within this console are accepted, to prevent open redirects. */
export function safeReturnPath(text: string | null): string {
  if (text === null || !/^\/(?![/\\])/.test(text) || text.startsWith(paths.signIn) || text.startsWith(paths.setup)) {
    return paths.dashboard;
  }
  return text;
}

/** In the query of a page's address: confirms a change of the hub's settings on arrival at its new address. */
export const confirmTokenName = 'confirm-token';

export function signInPath(returnTo: string): string {
  return safeReturnPath(returnTo) === paths.dashboard
    ? paths.signIn
    : `${paths.signIn}?return_url=${encodeURIComponent(returnTo)}`;
}
