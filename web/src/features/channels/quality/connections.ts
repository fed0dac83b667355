/** The connections of a channel that have quality figures, as named in the dialog's URL. */
import type { Channel, TransportReport } from '../../../../../daemon/contract/channels.ts';

const connectionKinds = ['input', 'output', 'client'] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

const prefix = 'quality-';

export function dialogOf(kind: ConnectionKind): string {
  return `${prefix}${kind}`;
}

export function kindOfDialog(dialog: string | undefined): ConnectionKind | undefined {
  return connectionKinds.find((kind) => dialog === dialogOf(kind));
}

export interface ShownConnection {
  readonly kind: ConnectionKind;
  readonly id: number;
  /** Name of an output; for other connections their address. */
  readonly name: string;
  readonly report: TransportReport | undefined;
}

/** Undefined if the channel does not have that connection (any more). */
export function findConnection(
  channel: Channel,
  kind: ConnectionKind,
  id: number | undefined,
): ShownConnection | undefined {
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
