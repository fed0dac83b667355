/** The connections of a channel that figures are shown of, as the address of the dialog names them. */
import type { Channel, TransportReport } from '../../../../../daemon/contract/channels.ts';

export const legKinds = ['input', 'output', 'client'] as const;
export type LegKind = (typeof legKinds)[number];

const prefix = 'quality-';

export function dialogOf(kind: LegKind): string {
  return `${prefix}${kind}`;
}

export function kindOfDialog(dialog: string | undefined): LegKind | undefined {
  return legKinds.find((kind) => dialog === dialogOf(kind));
}

export interface ShownLeg {
  readonly kind: LegKind;
  readonly id: number;
  /** Of an output; of the others their address. */
  readonly name: string;
  readonly report: TransportReport | undefined;
}

/** Undefined when the channel has no such connection, or no longer. */
export function findLeg(channel: Channel, kind: LegKind, id: number | undefined): ShownLeg | undefined {
  if (kind === 'input') {
    const { input } = channel;
    return { kind, id: 0, name: input.name === '' ? input.addr : input.name, report: input.report };
  }
  if (kind === 'output') {
    const output = channel.outputs.list.find((one) => one.id === id);
    return output && { kind, id: output.id, name: output.name, report: output.report };
  }
  const client = channel.clients.list.find((one) => one.id === id);
  return client && { kind, id: client.id, name: client.addr, report: client.report };
}
