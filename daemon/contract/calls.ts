/**
 * Every call of the HTTP API: how a client makes it and who may. Free of schemas, because the console's first page loads
 * it. Each noun's file adds the schemas; `api.ts` has the complete table.
 */
import type { Permission } from './permission.ts';

/**
 * Who may call. `public`: everyone. `signedIn`: any session. `admin`: members of the Admin group. A permission: users
 * who hold it.
 */
export type Scope = 'public' | 'signedIn' | 'admin' | Permission;

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  readonly scope: Scope;
  /** The handler reads the body as a stream, and limits it. */
  readonly hasLargeBody?: true;
}

/** A read. */
const get = (path: Call['path'], scope: Scope): Call => ({ method: 'GET', path, scope });
/** A write; its origin is checked. */
const post = (path: Call['path'], scope: Scope): Call => ({ method: 'POST', path, scope });

export const calls = {
  alarms: {
    list: get('/api/alarm/list', 'channelView'),
    acknowledge: post('/api/alarm/acknowledge', 'channelControl'),
    mute: post('/api/alarm/mute', 'channelControl'),
    unmute: post('/api/alarm/unmute', 'channelControl'),
    rules: get('/api/alarm/rules', 'channelView'),
    setRules: post('/api/alarm/rules/set', 'channelEdit'),
    deviceRules: get('/api/alarm/device-rules', 'systemView'),
    setDeviceRules: post('/api/alarm/device-rules/set', 'systemEdit'),
    clearHistory: post('/api/alarm/clear-history', 'channelEdit'),
    webhook: get('/api/alarm/webhook', 'systemView'),
    setWebhook: post('/api/alarm/webhook/set', 'systemEdit'),
    revealWebhook: post('/api/alarm/webhook/reveal', 'systemEdit'),
    testWebhook: post('/api/alarm/webhook/test', 'systemEdit'),
    mail: get('/api/alarm/mail', 'systemView'),
    testMail: post('/api/alarm/mail/test', 'systemEdit'),
  },
  auth: {
    login: post('/api/login', 'public'),
    challenge: post('/api/login/challenge', 'public'),
    logout: post('/api/logout', 'public'),
    logoutByGet: get('/api/logout', 'public'),
    session: get('/api/session', 'signedIn'),
    setup: post('/api/setup', 'public'),
    setupState: get('/api/setup', 'public'),
  },
  certificates: {
    get: get('/api/cert/get', 'systemView'),
    upload: post('/api/cert/upload', 'systemEdit'),
    uploadKey: post('/api/cert/upload-key', 'systemEdit'),
    request: post('/api/cert/request', 'systemEdit'),
  },
  channels: {
    dashboard: get('/api/channel/dashboard', 'channelView'),
    query: get('/api/channel/query', 'channelView'),
    quality: get('/api/channel/quality', 'channelView'),
    add: post('/api/channel/add', 'channelEdit'),
    set: post('/api/channel/set', 'channelEdit'),
    revealKey: post('/api/channel/reveal-key', 'channelEdit'),
    del: post('/api/channel/del', 'channelEdit'),
    enable: post('/api/channel/enable', 'channelControl'),
    setInput: post('/api/channel/input/set', 'channelEdit'),
    switchInput: post('/api/channel/input/switch', 'channelControl'),
    setSlate: post('/api/channel/slate/set', 'channelEdit'),
    delSlate: post('/api/channel/slate/del', 'channelEdit'),
    addOutput: post('/api/channel/output/add', 'channelEdit'),
    delOutput: post('/api/channel/output/del', 'channelEdit'),
    disconnectClient: post('/api/channel/client/disconnect', 'channelControl'),
    enableOutput: post('/api/channel/output/enable', 'channelControl'),
  },
  devices: {
    list: get('/api/device/list', 'deviceView'),
    listOf: post('/api/device/list', 'deviceView'),
    query: get('/api/device/query', 'deviceView'),
    log: get('/api/device/log', 'deviceView'),
    listWithGroups: get('/api/device/list-with-catalog', 'deviceView'),
    favorite: post('/api/device/favorite', 'deviceView'),
    config: post('/api/device/config', 'deviceControl'),
    connect: post('/api/device/connect', 'deviceControl'),
    revealKey: post('/api/device/reveal-key', 'deviceAdvanced'),
    renewKey: post('/api/device/renew-key', 'deviceAdvanced'),
    add: post('/api/device/add', 'deviceAdvanced'),
    discover: post('/api/device/discover', 'deviceAdvanced'),
    set: post('/api/device/set', 'deviceAdvanced'),
    accept: post('/api/device/accept', 'deviceAdvanced'),
    reject: post('/api/device/reject', 'deviceAdvanced'),
    del: post('/api/device/del', 'deviceAdvanced'),
    move: post('/api/device/move', 'groupControl'),
    setSecurity: post('/api/device/security/set', 'deviceSecurity'),
    getGlobal: get('/api/device/global/get', 'deviceView'),
    setGlobal: post('/api/device/global/set', 'deviceSecurity'),
  },
  deviceActions: { act: post('/api/device/action', 'deviceControl') },
  deviceClashes: {
    list: get('/api/device/clash/list', 'deviceAdvanced'),
    decide: post('/api/device/clash/decide', 'deviceAdvanced'),
  },
  deviceUpgrades: {
    start: post('/api/device/upgrade', 'deviceControl'),
  },
  deviceGroups: {
    list: get('/api/catalog/list', 'groupView'),
    add: post('/api/catalog/add', 'groupControl'),
    set: post('/api/catalog/set', 'groupControl'),
    rename: post('/api/catalog/rename', 'groupControl'),
    del: post('/api/catalog/del', 'groupControl'),
  },
  firewall: {
    get: get('/api/firewall/get', 'systemView'),
    set: post('/api/firewall/set', 'systemEdit'),
    addRule: post('/api/firewall/rule/add', 'systemEdit'),
    setRule: post('/api/firewall/rule/set', 'systemEdit'),
    delRule: post('/api/firewall/rule/del', 'systemEdit'),
  },
  firmware: {
    list: get('/api/firmware/list', 'firmwareView'),
    upload: { ...post('/api/firmware/upload', 'firmwareManage'), hasLargeBody: true as const },
    add: post('/api/firmware/add', 'firmwareManage'),
    beginUpload: post('/api/firmware/begin-upload', 'firmwareManage'),
    del: post('/api/firmware/del', 'firmwareManage'),
  },
  forwards: {
    list: get('/api/device/forward/list', 'deviceView'),
    options: get('/api/device/forward/options', 'deviceControl'),
    add: post('/api/device/forward/add', 'deviceControl'),
    set: post('/api/device/forward/set', 'deviceControl'),
    del: post('/api/device/forward/del', 'deviceControl'),
    start: post('/api/device/forward/start', 'deviceControl'),
    stop: post('/api/device/forward/stop', 'deviceControl'),
    setPorts: post('/api/device/forward/ports/set', 'deviceAdvanced'),
  },
  inputs: {
    list: get('/api/input/source/list', 'ioView'),
    add: post('/api/input/source/add', 'ioEdit'),
    set: post('/api/input/source/set', 'ioEdit'),
    test: post('/api/input/source/test', 'ioEdit'),
    reveal: post('/api/input/source/reveal', 'ioEdit'),
    del: post('/api/input/source/del', 'ioEdit'),
  },
  logs: { list: get('/api/log/list', 'admin') },
  network: {
    get: get('/api/network/get', 'systemView'),
    set: post('/api/network/set', 'systemEdit'),
    confirm: post('/api/network/confirm', 'public'),
    cancel: post('/api/network/cancel', 'systemEdit'),
    identify: post('/api/network/identify', 'systemEdit'),
  },
  ndiPresets: {
    list: get('/api/ndi/preset/list', 'ndiView'),
    save: post('/api/ndi/preset/save', 'ndiEdit'),
    del: post('/api/ndi/preset/del', 'ndiEdit'),
  },
  ndiRouter: {
    get: get('/api/ndi/router/get', 'ndiView'),
    set: post('/api/ndi/router/set', 'ndiEdit'),
    route: post('/api/ndi/router/route', 'ndiEdit'),
    setInput: post('/api/ndi/router/input/set', 'ndiEdit'),
    addOutput: post('/api/ndi/router/output/add', 'ndiEdit'),
    setOutput: post('/api/ndi/router/output/set', 'ndiEdit'),
    delOutput: post('/api/ndi/router/output/del', 'ndiEdit'),
    lock: post('/api/ndi/router/lock', 'ndiEdit'),
    undo: post('/api/ndi/router/undo', 'ndiEdit'),
  },
  ndiRuntime: {
    get: get('/api/ndi/runtime/get', 'ndiView'),
    retry: post('/api/ndi/runtime/retry', 'ndiEdit'),
    upload: post('/api/ndi/runtime/upload', 'systemEdit'),
  },
  ndiSalvos: {
    list: get('/api/ndi/salvo/list', 'ndiView'),
    add: post('/api/ndi/salvo/add', 'ndiEdit'),
    set: post('/api/ndi/salvo/set', 'ndiEdit'),
    del: post('/api/ndi/salvo/del', 'ndiEdit'),
    recall: post('/api/ndi/salvo/recall', 'ndiEdit'),
    capture: post('/api/ndi/salvo/capture', 'ndiEdit'),
  },
  ndiSources: { list: get('/api/ndi/source/list', 'ndiView') },
  outputs: {
    list: get('/api/output/list', 'ioView'),
    add: post('/api/output/add', 'ioEdit'),
    set: post('/api/output/set', 'ioEdit'),
    reveal: post('/api/output/reveal', 'ioEdit'),
    del: post('/api/output/del', 'ioEdit'),
  },
  power: {
    reset: post('/api/system/reset', 'admin'),
    reboot: post('/api/reboot', 'systemEdit'),
  },
  presets: {
    list: get('/api/preset/list', 'ioView'),
    save: post('/api/preset/save', 'ioEdit'),
    del: post('/api/preset/del', 'ioEdit'),
    use: post('/api/preset/use', 'ioEdit'),
  },
  preview: {
    setup: post('/api/preview/setup', 'signedIn'),
    clear: get('/api/preview/clear', 'signedIn'),
  },
  routes: {
    list: get('/api/route/list', 'systemView'),
    add: post('/api/route/add', 'systemEdit'),
    set: post('/api/route/set', 'systemEdit'),
    del: post('/api/route/del', 'systemEdit'),
  },
  runHistory: { list: get('/api/channel/events', 'channelView') },
  schedules: {
    list: get('/api/schedule/list', 'deviceView'),
    query: get('/api/schedule/query', 'deviceView'),
    add: post('/api/schedule/add', 'deviceControl'),
    set: post('/api/schedule/set', 'deviceControl'),
    del: post('/api/schedule/del', 'deviceControl'),
  },
  servers: {
    list: get('/api/server/list', 'ioView'),
    add: post('/api/server/add', 'ioEdit'),
    set: post('/api/server/set', 'ioEdit'),
    del: post('/api/server/del', 'ioEdit'),
    addOutput: post('/api/server/output/add', 'ioEdit'),
  },
  sessions: {
    list: get('/api/session/list', 'signedIn'),
    end: post('/api/session/end', 'signedIn'),
    stay: post('/api/session/stay', 'signedIn'),
  },
  settings: {
    get: get('/api/settings/get', 'systemView'),
    revealCode: post('/api/settings/reveal-code', 'systemEdit'),
    set: post('/api/settings/set', 'systemEdit'),
    confirm: post('/api/settings/confirm', 'systemEdit'),
  },
  settingsFile: {
    export: post('/api/settings/export', 'admin'),
    import: post('/api/settings/import', 'admin'),
  },
  system: {
    status: get('/api/system/status', 'signedIn'),
    history: get('/api/system/history', 'signedIn'),
    restartPart: post('/api/system/restart-part', 'systemEdit'),
  },
  systemLog: { list: get('/api/syslog/list', 'admin') },
  tasks: {
    list: get('/api/task/list', 'signedIn'),
    query: get('/api/task/query', 'signedIn'),
    cancel: post('/api/task/cancel', 'signedIn'),
  },
  time: {
    get: get('/api/time/get', 'systemView'),
    set: post('/api/time/set', 'systemEdit'),
    setHostName: post('/api/system/host-name/set', 'systemEdit'),
  },
  tokens: {
    list: get('/api/token/list', 'signedIn'),
    add: post('/api/token/add', 'signedIn'),
    del: post('/api/token/del', 'signedIn'),
  },
  users: {
    list: get('/api/usr/list', 'userControl'),
    add: post('/api/usr/add', 'userControl'),
    set: post('/api/usr/set', 'userControl'),
    del: post('/api/usr/del', 'userControl'),
    update: post('/api/usr/update', 'signedIn'),
    addGroup: post('/api/usr-group/add', 'userControl'),
    setGroup: post('/api/usr-group/set', 'userControl'),
    delGroup: post('/api/usr-group/del', 'userControl'),
  },
  wifi: {
    get: get('/api/wifi/get', 'systemView'),
    scan: post('/api/wifi/scan', 'systemEdit'),
    join: post('/api/wifi/join', 'systemEdit'),
    forget: post('/api/wifi/forget', 'systemEdit'),
  },
};

/** Sent with requests that a page makes on its own; they do not count as use of the session. */
export const backgroundHeader = 'signalbox-background';

export const alarmExportPath = '/api/alarm/export';
/** Takes the id of the firmware file. */
export const firmwareDownloadPath = '/api/firmware/download';
/** Takes the id of the task. */
export const upgradeReportPath = '/api/device/upgrade/report';
export const operationExportPath = '/api/log/export';
/** Takes the id of the channel. */
export const runExportPath = '/api/channel/events/export';
export const systemLogExportPath = '/api/syslog/export';
/** Takes the bytes of a file (`uploads.ts`). */
export const uploadDataPath = '/api/upload/data';
export const supportFilePath = '/api/system/support-file';
