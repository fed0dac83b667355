import { describe, expect, test } from 'bun:test';
import {
  type ActedDevice,
  actionReasons,
  blockedBy,
  canEver,
  type DeviceAction,
  deviceActions,
  refusedBy,
} from './device-actions.ts';
import { type DeviceApi, families } from './device-catalog.ts';
import { deviceTasks } from './device-facts.ts';
import { regStates } from './device-states.ts';
import { updateStates } from './upgrade-states.ts';

const encoder: ActedDevice = {
  ...{ api: 'usapi', module: families.ultraEncode, 'product-id': 787, 'module-name': 'Ultra Encode AIO' },
  ...{
    'reg-state': regStates.accepted,
    connection: 'online',
    'update-state': updateStates.idle,
    status: { recording: false, living: false },
  },
};
const can = (device: ActedDevice) => deviceActions.filter((action) => canEver(device, action));
const product = (api: DeviceApi, module: number, productId: number, model = ''): ActedDevice => ({
  ...encoder,
  ...{ api, module, 'product-id': productId, 'module-name': model },
});

describe('what a product can do', () => {
  const ofEncoders: readonly DeviceAction[] = [
    'rename',
    'reboot',
    'record-start',
    'record-stop',
    'live-start',
    'live-stop',
  ];

  test.each([
    ['an encoder with storage', encoder, ofEncoders],
    ['an Ultra Stream', product('usapi', families.ultraStream, 770, 'Ultra Stream SDI'), ofEncoders],
    [
      'an encoder without storage',
      product('usapi', families.ultraEncode, 789, 'Ultra Encode SDI'),
      ['rename', 'reboot'],
    ],
    ['a decoder of the first generation', product('mwapi', families.proConvertDecoder, 1057), ['rename', 'reboot']],
    ['an IP decoder', product('apiPath', families.proConvertDecoder, 1090), ['reboot']],
    ['a camera', product('onvif', families.thirdParty, 0), ['reboot']],
    [
      'a Director',
      product('v1', families.director, 1305),
      ['reboot', 'record-start', 'record-stop', 'quick-start', 'quick-stop'],
    ],
    ['a USB Fusion', product('mwapiPath', families.usbFusion, 1286), ['rename', 'reboot']],
    ['a stream', product('stream', families.thirdParty, 0), []],
    ['a device of an unknown family', product('usapi', families.others, 0), []],
  ] as const)('%s', (_, device, expected) => {
    expect<readonly DeviceAction[]>(can(device)).toEqual(expected);
  });
});

describe('why it cannot do it now', () => {
  const on = (change: Partial<ActedDevice>, action: DeviceAction = 'reboot') =>
    blockedBy({ ...encoder, ...change }, action);

  test('its registration, license and connection', () => {
    expect(on({})).toBeUndefined();
    expect(on({ 'reg-state': regStates.pending })).toBe('notAccepted');
    expect(on({ connection: 'offline' })).toBe('offline');
    expect(on({ connection: 'connecting' })).toBe('connecting');
    expect(on({ connection: 'offline', problem: 'overLicense' })).toBe('overLicense');
    expect(on({ 'pause-until': 1 })).toBe('pausing');
    // Through the hub: it may be offline meanwhile.
    expect(on({ 'update-state': updateStates.restarting, connection: 'offline' })).toBe('updating');
    expect(on({ 'update-state': updateStates.waiting })).toBeUndefined();
  });

  test.each([...deviceTasks])('it is %s', (task) => {
    const blocked = deviceActions.filter((action) => on({ status: { tasks: [task] } }, action) === task);
    const own = can(encoder);
    const starts: readonly DeviceAction[] = ['record-start', 'live-start'];
    const expected = { formatting: ['reboot', 'record-start'], testing: starts }[task as string] ?? own;
    expect<readonly DeviceAction[]>(blocked).toEqual(expected as DeviceAction[]);
  });

  test('it does that already, which only the console takes from a state that may be old', () => {
    const busy = { recording: true, living: true };
    const reasons = (status: ActedDevice['status']) =>
      (['record-start', 'record-stop', 'live-start', 'live-stop'] as const).map((action) => on({ status }, action));
    expect(reasons(busy)).toEqual(['alreadyRecording', undefined, 'alreadyLive', undefined]);
    expect(reasons({ recording: false, living: false })).toEqual([undefined, 'notRecording', undefined, 'notLive']);
    // A device that does not state it can be told both.
    expect(reasons({})).toEqual([undefined, undefined, undefined, undefined]);
    for (const action of deviceActions.slice(0, 6))
      expect(refusedBy({ ...encoder, status: busy }, action)).toBeUndefined();
  });

  test('each reason is given in some state', () => {
    const seen = new Set<string | undefined>();
    const changes: Partial<ActedDevice>[] = [
      { 'reg-state': regStates.rejected },
      { connection: 'offline' },
      { connection: 'connecting' },
      { problem: 'overLicense' },
      { 'pause-until': 1 },
      { api: 'stream' },
      { status: { recording: true, living: true } },
      {},
      ...deviceTasks.map((task) => ({ status: { tasks: [task] } })),
    ];
    for (const change of changes) for (const action of deviceActions) seen.add(on(change, action));
    expect([...actionReasons].filter((reason) => !seen.has(reason))).toEqual([]);
  });
});
