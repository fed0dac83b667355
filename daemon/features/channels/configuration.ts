/** The configured channels with their inputs and outputs, in memory: views are built from them every second. */
import { defaultFailover, type FailoverRule } from '../../contract/failover.ts';
import { type ChannelNdi, defaultChannelNdi } from '../../contract/ndi.ts';
import type { StreamAddress } from '../../sources/stream-address.ts';
import type { PulledSource } from '../../sources/stream-device.ts';
import type { Queries } from '../../store/database.ts';
import { channelRows, inputRows, outputRows } from '../../store/rows.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openAddress, openPulled, openStream } from '../../store/stored-address.ts';
import { type ChannelRow, type InputRow, publishingDevices } from './store.ts';

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
/** A device that publishes to the channel, with its own push key instead of that of the channel. */
export interface ConfiguredDevice {
  readonly id: number;
  readonly name: string;
  readonly pushKey: string;
  /** The hub opens this stream instead: the device does not publish. */
  readonly source?: PulledSource | undefined;
}
export interface ConfiguredChannel
  extends Omit<ChannelRow, 'inputId' | 'inputDeviceId' | 'backupInputId' | 'failover' | 'slate' | 'ndi' | 'createdAt'> {
  /** Undefined if the channel accepts a publisher with the push key. */
  readonly input: ConfiguredInput | undefined;
  readonly device?: ConfiguredDevice | undefined;
  readonly backup: ConfiguredInput | undefined;
  readonly failover: FailoverRule;
  readonly ndi: Omit<ChannelNdi, 'enable'>;
  /** File name of the slate image. */
  readonly slate: string | undefined;
  readonly outputs: readonly ConfiguredOutput[];
}
export interface Configuration {
  /** By id, which is the order of creation. */
  readonly channels: readonly ConfiguredChannel[];
  /** All outputs of the hub, including those without a channel. */
  readonly outputCount: number;
}

export function loadConfiguration(db: Queries, secrets: Secrets): Configuration {
  const allOutputs = outputRows.list(db);
  const outputsOf = Map.groupBy(allOutputs, ({ channelId }) => channelId);
  const allInputs = new Map(inputRows.list(db).map((row) => [row.id, row]));
  const inputOf = (id: number | null): ConfiguredInput | undefined => {
    const row = id === null ? undefined : allInputs.get(id);
    return row && configuredInput(row, secrets);
  };
  const devices = new Map(
    publishingDevices(db).map(({ stream, pulled, ...device }) => [
      device.id,
      { ...device, source: openStream(secrets, stream)?.source ?? openPulled(secrets, pulled) },
    ]),
  );
  const channels = channelRows
    .list(db)
    .map(({ inputId, inputDeviceId, backupInputId, failover, slate, ndi, createdAt: _, ...channel }) => {
      const outputs = outputsOf.get(channel.id) ?? [];
      return {
        ...channel,
        input: inputOf(inputId),
        device: inputDeviceId === null ? undefined : devices.get(inputDeviceId),
        backup: inputOf(backupInputId),
        failover: { ...defaultFailover, ...failover },
        slate: slate ?? undefined,
        ndi: { ...defaultChannelNdi, ...ndi },
        outputs: outputs.map((row) => ({
          id: row.id,
          name: row.name,
          enabled: row.enabled,
          address: openAddress(secrets, row),
        })),
      };
    });
  return { channels, outputCount: allOutputs.length };
}

function configuredInput(row: InputRow, secrets: Secrets): ConfiguredInput {
  return { id: row.id, name: row.name, address: openAddress(secrets, row) };
}
