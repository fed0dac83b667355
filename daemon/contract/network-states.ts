/** States of network ports and outcomes of changes that wait to be confirmed. Free of zod. */

/**
 * `connected`: it has its addresses. `connecting`: it waits for them. `disconnected`: it has none. `failed`: it could not
 * get them. `noCable`: nothing is plugged in. `unmanaged`: another program than NetworkManager has it. `absent`: the
 * machine has no such port. `unknown`: NetworkManager cannot be asked.
 */
export const portStates = [
  'connected',
  'connecting',
  'disconnected',
  'failed',
  'noCable',
  'unmanaged',
  'absent',
  'unknown',
] as const;
export type PortState = (typeof portStates)[number];

/**
 * The kind of a change that must be confirmed: a group of settings that can cut off the console. `settings`: the import
 * of a settings file, which can change several groups.
 */
export const confirmedKinds = ['network', 'routes', 'wifi', 'firewall', 'web', 'settings'] as const;
export type ConfirmedKind = (typeof confirmedKinds)[number];

/**
 * How a change ended. `confirmed`; `expired`: it was not confirmed in time and is undone; `canceled`: a user undid it;
 * `failed`: it could not take effect and is undone; `interrupted`: the machine restarted meanwhile, and it is undone.
 */
export const changeOutcomes = ['confirmed', 'expired', 'canceled', 'failed', 'interrupted'] as const;
export type ChangeOutcome = (typeof changeOutcomes)[number];

/** Why a change failed. For Wi-Fi, `outOfRange`: no access point has the name; `accessPoint`: it refused the hub. */
export const changeFailures = [
  'noDhcp',
  'addressInUse',
  'noCable',
  'refused',
  'timeout',
  'wrongKey',
  'outOfRange',
  'accessPoint',
  'other',
] as const;
export type ChangeFailure = (typeof changeFailures)[number];
