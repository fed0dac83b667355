/** Text for entries of the operation log about the NDI router. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ChangeWord } from '../../../../daemon/contract/logs.ts';

/** By action. */
export const ndiOperationTexts = {
  'ndiRouter.set': msg`Changed the NDI router`,
  'ndiRouter.route': msg`Routed an NDI output`,
  'ndiInput.set': msg`Changed an NDI input`,
  'ndiOutput.add': msg`Added an NDI output`,
  'ndiOutput.set': msg`Changed an NDI output`,
  'ndiOutput.del': msg`Deleted an NDI output`,
  'ndiOutput.lock': msg`Locked an NDI output`,
  'ndiOutput.unlock': msg`Unlocked an NDI output`,
  'ndiSalvo.add': msg`Added an NDI salvo`,
  'ndiSalvo.set': msg`Changed an NDI salvo`,
  'ndiSalvo.del': msg`Deleted an NDI salvo`,
  'ndiRuntime.add': msg`Installed an NDI runtime`,
  'ndiRuntime.retry': msg`Started the NDI runtime again`,
  'ndiPreset.add': msg`Saved an NDI preset`,
  'ndiPreset.set': msg`Replaced an NDI preset`,
  'ndiPreset.del': msg`Deleted an NDI preset`,
} as const;

export const ndiChanges = {
  ndiInput: (value) => msg`to input ${value}`,
  noNdiInput: () => msg`to no input`,
  fromNdiInput: (value) => msg`before: input ${value}`,
  bySalvo: (value) => msg`by salvo “${value}”`,
  byPanel: () => msg`by a hardware panel`,
  byFailover: () => msg`by failover`,
  byUndo: () => msg`by undo`,
  ndiSource: (value) => msg`source “${value}”`,
  noNdiSource: () => msg`no source`,
  label: (value) => (value === '' ? msg`without a label` : msg`label “${value}”`),
  ndiGroup: (value) => (value === '' ? msg`public group` : msg`group ${value}`),
  failoverInput: (value) => msg`backup input: ${value}`,
  noFailoverInput: () => msg`without a backup input`,
  failoverWhenLocked: (value) => (value === 'true' ? msg`failover also while locked` : msg`no failover while locked`),
  autoFill: (value) => (value === 'true' ? msg`new sources fill free inputs` : msg`new sources fill no inputs`),
  baseName: (value) => msg`base name ${value}`,
  matrixSize: (value) => msg`size ${value}`,
  lockOf: (value) => msg`lock of ${value}`,
  panelsOn: (value) => msg`listens on ${value}`,
  panelsOff: () => msg`switched off`,
  ndiServerOn: (value) => msg`listens on ${value}`,
  ndiServerOff: () => msg`switched off`,
  panelAddresses: (value) => msg`panels ${value}`,
  ndiServers: (value) => (value === '' ? msg`no discovery servers` : msg`discovery servers ${value}`),
  ndiExtraIps: (value) => (value === '' ? msg`no extra addresses` : msg`extra addresses ${value}`),
  ndiSendGroups: (value) => (value === '' ? msg`outputs in the public group` : msg`outputs in the groups ${value}`),
  ndiReceiveGroups: (value) => (value === '' ? msg`sources of the public group` : msg`sources of the groups ${value}`),
  salvoPolicy: (value) => (value === 'allOrNothing' ? msg`all or nothing` : msg`skips locked outputs`),
  salvoRoutes: (value) => msg`${value} routes`,
} satisfies Partial<Record<ChangeWord, (value: string) => MessageDescriptor>>;
