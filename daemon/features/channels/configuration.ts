/** The channels as they are wanted, with their inputs and outputs, in memory: views are made of them every second. */
import type { StreamAddress } from '../../lib/stream-address.ts';
import type { Queries } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openAddress } from '../../store/stored-address.ts';
import { type ChannelRow, listChannels, listInputs, listOutputs } from './store.ts';

export interface ConfiguredInput {
  readonly id: number;
  readonly name: string;
  readonly address: StreamAddress;
}
export interface ConfiguredOutput {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly address: StreamAddress;
}
export interface ConfiguredChannel extends Omit<ChannelRow, 'inputId' | 'createdAt'> {
  /** Undefined: whoever publishes with the push key. */
  readonly input: ConfiguredInput | undefined;
  readonly outputs: readonly ConfiguredOutput[];
}
export interface Configuration {
  /** By id, that is in the order of joining. */
  readonly channels: readonly ConfiguredChannel[];
  /** Outputs of the hub, also those of no channel. */
  readonly outputCount: number;
}

export function loadConfiguration(db: Queries, secrets: Secrets): Configuration {
  const outputRows = listOutputs(db);
  const outputsOf = Map.groupBy(outputRows, ({ channelId }) => channelId);
  const inputRows = new Map(listInputs(db).map((row) => [row.id, row]));
  const channels = listChannels(db).map(({ inputId, createdAt: _, ...channel }) => {
    const input = inputId === null ? undefined : inputRows.get(inputId);
    const outputs = outputsOf.get(channel.id) ?? [];
    return {
      ...channel,
      input: input && { id: input.id, name: input.name, address: openAddress(secrets, input) },
      outputs: outputs.map((row) => ({
        id: row.id,
        name: row.name,
        enabled: row.enabled,
        address: openAddress(secrets, row),
      })),
    };
  });
  return { channels, outputCount: outputRows.length };
}
