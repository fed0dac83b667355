import { useQuery } from '@tanstack/react-query';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { channelsQuery, channelsTopic } from './channels-query.ts';

/** All channels, live; undefined until the first response, or without the permission to view them. */
export function useChannels() {
  const may = useMay('channelView');
  useTopic(channelsTopic, may);
  return useQuery({ ...channelsQuery, enabled: may });
}
