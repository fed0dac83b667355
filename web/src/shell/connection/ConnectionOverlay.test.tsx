import { afterEach, expect, test } from 'bun:test';
import { act, screen } from '@testing-library/react';
import type { StreamsAfterStop } from '../../../../daemon/contract/events.ts';
import { useConnection } from '../../api/connection.ts';
import { renderPage } from '../../ui/render-for-test.tsx';
import { ConnectionOverlay } from './ConnectionOverlay.tsx';

afterEach(() => act(() => useConnection.setState(useConnection.getInitialState())));

test.each([
  [
    undefined,
    'Connection to the hub lost',
    "This page can't reach the hub. Streams may still be running; check the output.",
  ],
  ['end', 'The hub was stopped', 'All streams ended with it.'],
  [
    'continue',
    'The hub was stopped',
    'Streams continue: the media engine is a separate service. They end if that is stopped, too.',
  ],
] as const)(
  'after a stop with streams "%s" the overlay says what is known',
  (streams: StreamsAfterStop | undefined, title, text) => {
    renderPage(<ConnectionOverlay />);
    expect(screen.queryByRole('dialog')).toBeNull();
    act(() => useConnection.setState({ isLost: true, since: Date.now(), nextTry: Date.now(), streams }));
    expect(screen.getByRole('heading', { name: title })).toBeTruthy();
    expect(screen.getByText(text)).toBeTruthy();
  },
);
