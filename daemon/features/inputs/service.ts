import type { BodyOf } from '../../contract/endpoint.ts';
import type { Input, InputConfig, inputApi } from '../../contract/inputs.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { directions, nodeTypes } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { type ListQuery, pageOf } from '../../lib/list-page.ts';
import { inUse } from '../../lib/refusals.ts';
import type { StreamAddress } from '../../sources/stream-address.ts';
import { type Reader, readStreamConfig, showStreamConfig, showStreamConfigTo } from '../../sources/stream-config.ts';
import { transaction } from '../../store/database.ts';
import { inputRows } from '../../store/rows.ts';
import type { inputs } from '../../store/schema.ts';
import type { TestSource } from '../channels/source-test.ts';
import { createNamedObjects, newAddress, refuseOwnPort, type SourceDeps, storedAddresses } from '../named-objects.ts';
import { type InputUser, inputUsers } from './store.ts';

export interface InputDeps extends SourceDeps {
  readonly testSource: TestSource;
}

export type InputService = ReturnType<typeof createInputService>;
export type InputAdder = InputService['addAddress'];

export function createInputService(deps: InputDeps) {
  const { db, secrets, license, applyDesired } = deps;
  const addresses = storedAddresses(secrets);
  const { open } = addresses;
  const named = createNamedObjects<typeof inputs, StreamAddress>({
    ...{ noun: 'input', rows: inputRows, limit: limits.inputs, ...addresses },
    ...{ db, audit: deps.audit, now: deps.now },
  });
  const readAddress = (config: InputConfig, kept?: StreamAddress): StreamAddress => {
    const address = readStreamConfig(config, 'input', kept);
    refuseOwnPort(address, deps.ownPorts());
    return address;
  };
  /** Adds an input with an address that is already stored: the caller does not have to supply it. Returns the id. */
  const addAddress = (
    actor: Actor,
    input: { readonly name: string; readonly address: StreamAddress },
    changes: readonly OperationChange[] = [],
  ): number => {
    refuseOwnPort(input.address, deps.ownPorts());
    return named.write<number>(input.name, (tx) => {
      named.refuseFull(tx);
      return named.add(tx, actor, input, changes);
    });
  };
  return {
    list(query: ListQuery, reader: Reader) {
      const page = pageOf(inputRows.list(db), query);
      const users = inputUsers(db);
      const list = page.list.map((row) => {
        const config = showStreamConfigTo(reader, open(row), 'input');
        return show(row, users.get(row.id) ?? [], config);
      });
      return { ...page, list };
    },
    add(actor: Actor, { name, config, 'copy-of': copyOf }: BodyOf<typeof inputApi.add>): number {
      const { kept, changes } = named.original(copyOf);
      return addAddress(actor, { name, address: newAddress(config, kept, readAddress) }, changes);
    },
    addAddress,
    /** Returns the new revision. */
    set(actor: Actor, change: BodyOf<typeof inputApi.set>): number {
      const revision = named.write<number>(change.name, (tx) =>
        license.within(tx, () => named.set(tx, actor, change, readAddress)),
      );
      applyDesired();
      return revision;
    },
    /** Returns the configuration with its secrets after recording the access in the operation log. */
    reveal: (actor: Actor, id: number) => showStreamConfig(named.reveal(actor, id), 'input'),
    del(actor: Actor, { id, force = false }: BodyOf<typeof inputApi.del>): void {
      transaction<void>(db, (tx) => {
        const users = inputUsers(tx);
        named.del(tx, actor, [id].flat(), {
          refuse(row) {
            const names = users.get(row.id)?.map(({ name }) => name) ?? [];
            if (names.length > 0 && !force) throw inUse(row.name, ...names);
          },
          // The channels that used it now have another input.
          editedBy: (row) => (users.get(row.id) ?? []).map((user) => ({ noun: 'channel', id: user.id })),
        });
      });
      applyDesired();
    },
    /** Tests a stored input, one that is not stored yet, or a stored one as it would be after a change. */
    test({ id, config }: BodyOf<typeof inputApi.test>, signal: AbortSignal) {
      const stored = id === undefined ? undefined : open(inputRows.existing(db, id));
      const address = config ? readAddress(config, stored) : stored;
      if (!address) throw fieldError('config', 'required', 'required without id');
      return deps.testSource({ inputId: id ?? 0, address }, signal);
    },
  };
}

function show(
  { id, name, protocol, revision }: Pick<Input, 'id' | 'name' | 'protocol' | 'revision'>,
  users: readonly InputUser[],
  config: Input['config'],
): Input {
  return {
    ...{ id, name, type: nodeTypes.customInput, dir: directions.input, protocol, config, revision },
    ...(users.length > 0 && { 'owner-i': users.map((user) => user.name), 'owner-i-d': users.map((user) => user.id) }),
  };
}
