/** `make test SUITES=quick`: all unit tests, and each feature once through the whole hub. */

/** The title of a browser test. */
interface InBrowser {
  readonly title: string;
}
/** The path of an integration test file. */
interface InFile {
  readonly file: string;
}

/** Keyed by a folder of `daemon/features`, all of which `quick.test.ts` requires, or by a protocol or engine task. */
export const quickProof = {
  alarms: { title: 'the alarm webhook is configured and tested, and its secret is never shown' },
  auth: { title: 'a wrong password is refused in one sentence, and the right one opens the dashboard' },
  channels: { title: 'a channel is added with the form, which first shows what is wrong' },
  devices: { file: 'tests/integration/devices.test.ts' },
  'device-console': { file: 'tests/integration/device-console.test.ts' },
  firewall: { file: 'tests/integration/helper.test.ts' },
  firmware: { file: 'tests/integration/firmware.test.ts' },
  forwards: { title: 'a port forward is added, carries a page of the device, and is stopped' },
  schedules: { title: 'a schedule is added for several devices, changed, disabled and deleted' },
  upgrades: { title: 'a lower version is installed only after the loss of settings is accepted' },
  inputs: { title: 'a listening input waits on its own port for a sender' },
  license: { file: 'tests/integration/run-history.test.ts' },
  logs: { title: 'the log is filtered by time, user and result, and the address keeps the filters' },
  'ndi-router': { file: 'tests/integration/ndi-routes-kept.test.ts' },
  network: { file: 'tests/netns/network.test.ts' },
  routes: { file: 'tests/integration/route-walk.test.ts' },
  wifi: { file: 'tests/integration/route-walk.test.ts' },
  outputs: { title: 'the list of outputs shows state, address and channel of each' },
  presets: { title: 'an output is saved as a preset, replaced after confirmation, and used for another output' },
  power: { file: 'tests/integration/reset.test.ts' },
  preview: { title: 'thumbnails of live channels are shown in the list and on the dashboard, and change' },
  'run-history': { title: 'the history of a channel is kept with its reasons' },
  servers: { title: 'the form of a server has the fields of its type' },
  'settings-file': { file: 'tests/integration/settings-file.test.ts' },
  settings: { title: 'a setting shows the effect of saving, is saved, and is kept after a reload' },
  support: { file: 'tests/integration/secret-search.test.ts' },
  system: { title: 'the dashboard shows what is on air, what needs attention and how loaded the hub is' },
  'system-log': { title: 'lines are filtered by level and text, reached by scrolling, and downloaded' },
  tasks: { title: 'a task is followed in the tray, and its end is told on another page, once' },
  time: { file: 'tests/netns/time.test.ts' },
  tokens: { title: 'an error of a token is shown at its field; a duplicate is refused' },
  uploads: { file: 'tests/integration/uploads.test.ts' },
  users: { title: 'a user is deleted after confirmation; Admin and the own account stay' },
  permissions: { file: 'tests/integration/route-walk.test.ts' },
  streams: { file: 'tests/integration/streams.test.ts' },
  'first picture': { file: 'tests/integration/first-picture.test.ts' },
  'SRT listener': { file: 'tests/integration/srt-listener.test.ts' },
  RTSP: { file: 'tests/integration/rtsp-output.test.ts' },
  NDI: { file: 'tests/integration/ndi.test.ts' },
  failover: { file: 'tests/integration/failover-api.test.ts' },
  'restart of the hub': {
    title: 'the page waits for a hub that is killed and restarted, and the streams never stop',
  },
} as const satisfies Readonly<Record<string, InBrowser | InFile>>;

const proofs: readonly (InBrowser | InFile)[] = Object.values(quickProof);

export const quickFiles: ReadonlySet<string> = new Set(
  proofs.flatMap((proof) => ('file' in proof ? [proof.file] : [])),
);
export const quickTitles: readonly string[] = proofs.flatMap((proof) => ('title' in proof ? [proof.title] : []));

/** A pattern for `playwright test --grep` that matches only these titles. */
export const quickGrep = quickTitles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
