import { useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { Link } from 'react-router-dom';
import { channelPath, paths } from '../../lib/paths.ts';
import { channelsQuery } from '../../shared/streams/channels-query.ts';
import { type LinePart, linePartsOf } from './line-text.ts';

type Names = Readonly<Record<'channel' | 'output', ReadonlyMap<number, string>>>;

const LineNames = createContext<Names>({ channel: new Map(), output: new Map() });

/** From here on the engine numbers the channels that exist only while a source is tested (source-tests.ts). */
const firstTestId = 0x7000_0000;

/** Loads the names of channels and outputs once for all lines below. */
export function WithLineNames({ children }: { children: ReactNode }) {
  const { data: channels } = useQuery(channelsQuery);
  const names = useMemo(
    () => ({
      channel: new Map(channels?.map(({ id, name }) => [id, name])),
      output: new Map(channels?.flatMap(({ outputs }) => outputs.list.map(({ id, name }) => [id, name] as const))),
    }),
    [channels],
  );
  return <LineNames value={names}>{children}</LineNames>;
}

/** The text of a line, with names in place of numbers where the object still exists. */
export function LineText({ text }: { text: string }) {
  const parts = useMemo(() => linePartsOf(text), [text]);
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Part key={at} part={part} />
  ));
}

function Part({ part }: { part: LinePart }) {
  const { t } = useLingui();
  const names = useContext(LineNames);
  if (part.is === 'text') return part.text;
  const { is, id, text } = part;
  if (is === 'channel' && id >= firstTestId) return <span title={text}>{t`source test`}</span>;
  const name = names[is].get(id);
  if (name === undefined) return text;
  const path = is === 'channel' ? channelPath(id) : `${paths.outputs}?q=${encodeURIComponent(name)}`;
  return (
    <>
      {is}{' '}
      <Link to={path} title={text}>
        {name}
      </Link>
    </>
  );
}
