/** Channels, inputs, outputs, destinations and users by name, among those that other pages load, too. */
import { useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/session.ts';
import { channelPath, paths, searchedPath } from '../../lib/paths.ts';
import { inputsQuery } from '../../shared/inputs/input-calls.ts';
import { outputsQuery } from '../../shared/outputs/output-calls.ts';
import { serversQuery } from '../../shared/servers/server-calls.ts';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { peopleQuery } from '../../shared/users/user-calls.ts';

export interface ObjectResult {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly note?: string | undefined;
}

interface ResultGroup {
  readonly key: string;
  readonly title: string;
  readonly list: readonly ObjectResult[];
}

/** With more, users type another letter rather than read on. */
const maxPerGroup = 20;

export function useObjectResults(text: string): ResultGroup[] {
  const { t } = useLingui();
  const maySeeSources = useMay('ioView');
  const maySeeUsers = useMay('userControl');
  const channels = useChannels().data ?? [];
  const inputs = useQuery({ ...inputsQuery, enabled: maySeeSources }).data ?? [];
  const outputs = useQuery({ ...outputsQuery, enabled: maySeeSources }).data ?? [];
  const servers = useQuery({ ...serversQuery, enabled: maySeeSources }).data ?? [];
  const users = useQuery({ ...peopleQuery, enabled: maySeeUsers }).data?.users ?? [];
  const words = text.toLocaleLowerCase().split(/\s+/);
  const find = <T extends { readonly id: number; readonly name: string }>(
    all: readonly T[],
    pathOf: (one: T) => string,
    noteOf: (one: T) => string | undefined = () => undefined,
  ): ObjectResult[] =>
    all
      .filter((one) => {
        const found = `${one.name} ${noteOf(one) ?? ''}`.toLocaleLowerCase();
        return words.every((word) => found.includes(word));
      })
      .slice(0, maxPerGroup)
      .map((one) => ({ id: one.id, name: one.name, path: pathOf(one), note: noteOf(one) }));
  const among = (list: string) => (one: { readonly name: string }) => searchedPath(list, one.name);
  return [
    { key: 'channels', title: t`Channels`, list: find(channels, ({ id }) => channelPath(id)) },
    { key: 'inputs', title: t`Inputs`, list: find(inputs, among(paths.inputs)) },
    { key: 'outputs', title: t`Outputs`, list: find(outputs, among(paths.outputs)) },
    { key: 'servers', title: t`Destinations`, list: find(servers, among(paths.servers)) },
    { key: 'users', title: t`Users`, list: find(users, among(paths.users), ({ nick }) => nick) },
  ];
}
