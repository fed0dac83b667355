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
  alarms: { title: 'the alarm webhook is set and tested, and its secret is never shown' },
  auth: { title: 'a wrong password is refused in one sentence, and the right one opens the dashboard' },
  channels: { title: 'a channel is added by the form, which says what is wrong first' },
  inputs: { title: 'an input that listens waits on its own port for a sender' },
  license: { file: 'tests/integration/run-history.test.ts' },
  logs: { title: 'the log is filtered by time, user and result, and the address keeps it' },
  outputs: { title: 'the list of outputs names state, address and channel of each' },
  presets: { title: 'an output is kept as a preset, replaced after a second yes, and another is made from it' },
  preview: { title: 'small pictures of live channels show in the list and on the dashboard, and change' },
  'run-history': { title: 'what a channel went through is kept with its reasons' },
  servers: { title: 'the fields of a server are those of its type' },
  settings: { title: 'a setting says what saving does, is saved, and is there after a reload' },
  system: { title: 'the dashboard says what is on air, what needs attention and how loaded the hub is' },
  'system-log': { title: 'lines are filtered by level and text, reached by scrolling, and loaded down' },
  tokens: { title: 'what is wrong with a token is said at its field; one that exists is refused' },
  users: { title: 'a user is deleted after a second yes; Admin and oneself stay' },
  permissions: { file: 'tests/integration/route-walk.test.ts' },
  streams: { file: 'tests/integration/streams.test.ts' },
  'first picture': { file: 'tests/integration/first-picture.test.ts' },
  'SRT listener': { file: 'tests/integration/srt-listener.test.ts' },
  RTSP: { file: 'tests/integration/rtsp-output.test.ts' },
  NDI: { file: 'tests/integration/ndi.test.ts' },
  failover: { file: 'tests/integration/failover-api.test.ts' },
  'restart of the hub': {
    title: 'a hub that is killed and started again is waited for, and the streams never stopped',
  },
} as const satisfies Readonly<Record<string, InBrowser | InFile>>;

const proofs: readonly (InBrowser | InFile)[] = Object.values(quickProof);

export const quickFiles: ReadonlySet<string> = new Set(
  proofs.flatMap((proof) => ('file' in proof ? [proof.file] : [])),
);
export const quickTitles: readonly string[] = proofs.flatMap((proof) => ('title' in proof ? [proof.title] : []));

/** A pattern for `playwright test --grep` that matches only these titles. */
export const quickGrep = quickTitles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
