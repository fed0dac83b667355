import { useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { meets } from '../../../../daemon/contract/variant.ts';
import { mayUse, useSession, useVariant } from '../../api/session.ts';
import { channelPath, paths, searchedPath } from '../../lib/paths.ts';
import { inputsQuery } from '../../shared/inputs/input-calls.ts';
import { outputsQuery } from '../../shared/outputs/output-calls.ts';
import { serversQuery } from '../../shared/servers/server-calls.ts';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { peopleQuery } from '../../shared/users/user-calls.ts';
import { sections, usePageRoutes } from '../frame/page-routes.ts';
import type { Command } from './commands.ts';
import { settingsCommands } from './settings-commands.ts';
import { useChannelCommands } from './useChannelCommands.ts';
import { useDeviceCommands } from './useDeviceCommands.ts';
import { useNdiCommands } from './useNdiCommands.ts';

/** All pages and actions available to the signed-in user, and the devices that match the search. */
export function useCommands(search: string): Command[] {
  const { i18n, t } = useLingui();
  const user = useSession();
  const variant = useVariant();
  const mayViewSources = mayUse(user, 'ioView');
  const channels = useChannels().data ?? [];
  const inputs = useQuery({ ...inputsQuery, enabled: mayViewSources }).data ?? [];
  const outputs = useQuery({ ...outputsQuery, enabled: mayViewSources }).data ?? [];
  const pages = usePageRoutes().filter(
    ({ menuPath, scope, needs }) => menuPath === undefined && meets(variant, needs) && mayUse(user, scope),
  );
  const servers = useQuery({ ...serversQuery, enabled: mayViewSources }).data ?? [];
  const users = useQuery({ ...peopleQuery, enabled: mayUse(user, 'userControl') }).data?.users ?? [];
  const acts = useChannelCommands(channels);
  const devices = useDeviceCommands(search);
  const ndi = useNdiCommands();
  const mayEditSources = mayUse(user, 'ioEdit');
  return [
    ...pages.map(({ title, section, path }): Command => {
      const name = i18n._(title);
      // "General" alone is not informative.
      const text = section === 'settings' ? `${i18n._(sections.settings.title)} / ${name}` : name;
      return { group: 'pages', text, path };
    }),
    ...[
      { text: t`Add channel`, path: paths.channels, may: mayUse(user, 'channelEdit') },
      { text: t`Add input`, path: paths.inputs, may: mayEditSources },
      { text: t`Add output`, path: paths.outputs, may: mayEditSources },
      { text: t`Add destination`, path: paths.servers, may: mayEditSources },
      { text: t`Add user`, path: paths.users, may: mayUse(user, 'userControl') },
    ]
      .filter(({ may }) => may)
      .map(({ text, path }): Command => ({ group: 'actions', text, path: `${path}?dialog=add` })),
    { group: 'actions', text: t`Change password`, path: `${paths.profile}?dialog=password` },
    ...devices,
    ...channels.map(({ id, name }): Command => ({ group: 'channels', text: name, path: channelPath(id) })),
    ...acts,
    ...inputs.map(({ name }): Command => ({ group: 'inputs', text: name, path: searchedPath(paths.inputs, name) })),
    ...outputs.map(({ name }): Command => ({ group: 'outputs', text: name, path: searchedPath(paths.outputs, name) })),
    ...servers.map(({ name }): Command => ({ group: 'servers', text: name, path: searchedPath(paths.servers, name) })),
    ...ndi,
    ...users.map(
      ({ name, nick }): Command => ({
        ...{ group: 'users', text: name, path: searchedPath(paths.users, name) },
        ...(nick && { words: nick }),
      }),
    ),
    ...(pages.some(({ path }) => path === paths.generalSettings) ? settingsCommands(i18n, variant) : []),
  ];
}
