import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Output, OutputConfig, outputApi } from '../../contract/outputs.ts';
import { directions, nodeTypes, protocolBits } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { type ListQuery, pageOf } from '../../lib/list-page.ts';
import { inUse } from '../../lib/refusals.ts';
import { isRtspServer, type RtspServerStream, type StreamAddress } from '../../sources/stream-address.ts';
import { type Reader, readStreamConfig, showStreamConfig, showStreamConfigTo } from '../../sources/stream-config.ts';
import { type Queries, transaction } from '../../store/database.ts';
import { channelRows, outputRows, refuseFullChannel } from '../../store/rows.ts';
import type { outputs } from '../../store/schema.ts';
import { createNamedObjects, newAddress, refuseOwnPort, type SourceDeps, storedAddresses } from '../named-objects.ts';

/** An output with an address that is already stored: the caller does not have to supply it. */
interface AddressedOutput {
  readonly name: string;
  readonly address: StreamAddress;
  /** The channel that the output is assigned to. */
  readonly channel?: number | undefined;
  /** Default: true. */
  readonly enable?: boolean | undefined;
}

export type OutputService = ReturnType<typeof createOutputService>;
export type OutputAdder = OutputService['addAddress'];

export function createOutputService(deps: SourceDeps) {
  const { db, secrets, license, applyDesired } = deps;
  const addresses = storedAddresses(secrets);
  const { open } = addresses;
  const named = createNamedObjects<typeof outputs, StreamAddress>({
    ...{ noun: 'output', rows: outputRows, limit: limits.outputs, ...addresses },
    ...{ db, audit: deps.audit, now: deps.now },
  });
  const refuseTakenPort = (tx: Queries, address: StreamAddress, ownId?: number): void => {
    refuseOwnPort(address, deps.ownPorts());
    if (!isRtspServer(address)) return;
    const others = outputRows.list(tx).filter(({ id, protocol }) => id !== ownId && protocol === protocolBits.rtsp);
    const same = others.find((row) => servesSame(address, open(row)));
    if (same) throw fieldError('config.key', 'exists', `'${same.name}' has this port and path`);
  };
  const readAddress = (config: OutputConfig, kept?: StreamAddress) => readStreamConfig(config, 'output', kept);
  /** Returns the id. */
  const addAddress = (
    actor: Actor,
    { name, address, channel, enable = true }: AddressedOutput,
    furtherChanges: readonly OperationChange[] = [],
  ): number => {
    const id = named.write<number>(name, (tx) =>
      license.within(tx, () => {
        refuseTakenPort(tx, address);
        named.refuseFull(tx);
        const forChannel: OperationChange[] =
          channel === undefined ? [] : [{ word: 'forChannel', value: owner(tx, channel) }];
        const changes = [...furtherChanges, ...forChannel];
        // If enabled, it sends as soon as its channel has data.
        return named.add(tx, actor, { name, address, more: { enabled: enable, channelId: channel ?? null } }, changes);
      }),
    );
    if (channel !== undefined) applyDesired();
    return id;
  };
  return {
    list(query: ListQuery, reader: Reader) {
      const page = pageOf(outputRows.list(db), query);
      const owners = new Map(channelRows.list(db).map(({ id, name }) => [id, name]));
      const list = page.list.map((row): Output => {
        const { id, name, protocol, channelId, revision } = row;
        const config = showStreamConfigTo(reader, open(row), 'output');
        return {
          ...{ id, name, type: nodeTypes.customOutput, dir: directions.output, protocol, config, revision },
          ...(channelId !== null && { 'owner-o': owners.get(channelId), 'owner-o-d': channelId }),
        };
      });
      return { ...page, list };
    },
    add(actor: Actor, { config, 'copy-of': copyOf, ...output }: BodyOf<typeof outputApi.add>): number {
      const { kept, changes } = named.original(copyOf);
      return addAddress(actor, { ...output, address: newAddress(config, kept, readAddress) }, changes);
    },
    addAddress,
    /** Returns the new revision. */
    set(actor: Actor, change: BodyOf<typeof outputApi.set>): number {
      const revision = named.write<number>(change.name, (tx) =>
        license.within(tx, () =>
          named.set(tx, actor, change, (config: NonNullable<typeof change.config>, before) => {
            const address = readAddress(config, before);
            refuseTakenPort(tx, address, change.id);
            return address;
          }),
        ),
      );
      applyDesired();
      return revision;
    },
    /** Returns the configuration with its secrets after recording the access in the operation log. */
    reveal: (actor: Actor, id: number) => showStreamConfig(named.reveal(actor, id), 'output'),
    del(actor: Actor, { id, force = false }: BodyOf<typeof outputApi.del>): void {
      transaction<void>(db, (tx) =>
        named.del(tx, actor, [id].flat(), {
          refuse({ name, channelId }) {
            if (channelId !== null && !force) throw inUse(name, channelRows.existing(tx, channelId).name);
          },
        }),
      );
      applyDesired();
    },
  };
}

/** Outputs may share a port if their paths differ. */
function servesSame({ port, key }: RtspServerStream, other: StreamAddress): boolean {
  return isRtspServer(other) && other.port === port && other.key === key;
}

/** Returns the name of a channel that has room for another output. */
function owner(tx: Queries, channelId: number): string {
  const { name } = channelRows.existing(tx, channelId);
  refuseFullChannel(tx, channelId);
  return name;
}
